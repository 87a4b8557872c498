"""Bearing fault diagnosis from accelerometer snippets: envelope features + residual MLP."""
import numpy as np
import torch
from scipy.signal import hilbert
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

FS = 4096
FAULTS = {"healthy": 0.0, "inner_race": 162.0, "outer_race": 107.0, "ball": 71.0, "cage": 25.0}
COUNTS = {"healthy": 420, "inner_race": 260, "outer_race": 260, "ball": 160, "cage": 140}


def record(fault_hz, rng, n=2048):
    t = np.arange(n) / FS
    x = 0.8 * np.sin(2 * np.pi * 29.5 * t + rng.uniform(0, 6.28)) + rng.normal(0, 0.6, n)
    if fault_hz:
        rate = fault_hz * rng.uniform(0.985, 1.015)
        since_hit = np.mod(t + rng.uniform(0, 1 / rate), 1 / rate)
        x += rng.uniform(2.2, 3.2) * np.exp(-since_hit * 500) * np.sin(2 * np.pi * 1100 * since_hit)
    return x


def envelope_spectrum(x):
    env = np.abs(hilbert(x))
    spec = np.abs(np.fft.rfft((env - env.mean()) * np.hanning(len(env))))
    return np.log1p(spec[:256])


def collect(seed):
    rng = np.random.default_rng(seed)
    feats, labels = [], []
    for code, (name, hz) in enumerate(FAULTS.items()):
        for _ in range(COUNTS[name]):
            feats.append(envelope_spectrum(record(hz, rng)))
            labels.append(code)
    return np.asarray(feats, dtype=np.float32), np.asarray(labels)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.GELU(), nn.Dropout(0.2), nn.Linear(d, d))

    def forward(self, x):
        return x + self.net(x)


def get_model(d_in, n_out, d=64):
    return nn.Sequential(nn.Linear(d_in, d), Block(d), Block(d), nn.LayerNorm(d), nn.Linear(d, n_out))


def predict(model, loader):
    model.eval()
    with torch.no_grad():
        pairs = [(model(xb).argmax(dim=-1), yb) for xb, yb in loader]
    pred, true = (torch.cat(side).numpy() for side in zip(*pairs))
    return pred, true


def main(seed=1, epochs=8, batch_size=64, lr=1e-3):
    torch.manual_seed(seed)
    feats, labels = collect(seed)
    n_train, n_val = int(0.7 * len(labels)), int(0.15 * len(labels))
    rows = np.arange(len(labels))
    train_rows, rest = rows[:n_train], rows[n_train:]
    val_rows, test_rows = train_test_split(rest, train_size=n_val, stratify=labels[rest], random_state=seed)

    mu, sigma = feats[train_rows].mean(axis=0), feats[train_rows].std(axis=0) + 1e-6
    dataset = TensorDataset(torch.from_numpy((feats - mu) / sigma), torch.from_numpy(labels))
    train = DataLoader(Subset(dataset, train_rows), batch_size=batch_size, shuffle=True)
    val = DataLoader(Subset(dataset, val_rows), batch_size=256)
    test = DataLoader(Subset(dataset, test_rows), batch_size=256)

    model = get_model(feats.shape[1], len(FAULTS))
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-2)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(epochs):
        model.train()
        losses = []
        for xb, yb in train:
            opt.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        pred, true = predict(model, val)
        print(f"{epoch + 1:>2}/{epochs}  loss={np.mean(losses):.4f}  val_acc={np.mean(pred == true):.3f}  "
              f"val_macro_f1={f1_score(true, pred, average='macro', zero_division=0):.3f}")

    pred, true = predict(model, test)
    print(classification_report(true, pred, labels=range(len(FAULTS)), target_names=list(FAULTS), zero_division=0))


if __name__ == "__main__":
    main()
