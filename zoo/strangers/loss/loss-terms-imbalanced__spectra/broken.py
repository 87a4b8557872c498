import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# Spectrometer: which of six substances is in the cell, and how much of it?
# One network, two heads.

cfg = dict(
    seed=21,
    n=5000,
    channels=60,
    hidden=24,
    lr=3e-3,
    epochs=20,
    batch=64,
    w_class=1.0,
    w_amount=20000.0,
)

torch.manual_seed(cfg["seed"])
rng = np.random.default_rng(cfg["seed"])


def record(n):
    """Absorption lines over a sloping background; the lamp drifts."""
    axis = np.linspace(0, 1, cfg["channels"])
    centres = np.array([[0.20, 0.55], [0.25, 0.60], [0.30, 0.50], [0.45, 0.75], [0.40, 0.80], [0.15, 0.85]])
    kind = rng.integers(0, 6, n)
    amount = rng.uniform(0.3, 2.0, n)
    lines = np.exp(-((axis - centres[kind][:, :, None]) / 0.05) ** 2)
    ratio = np.stack([np.ones(n), rng.uniform(0.6, 1.0, n)], 1)
    spectrum = (amount[:, None, None] * ratio[:, :, None] * lines).sum(1)
    spectrum += rng.normal(0, 0.5, (n, 1)) * axis + rng.normal(0, 0.3, (n, 1))
    spectrum += rng.normal(0, 0.35, spectrum.shape)
    return spectrum.astype(np.float32), kind, amount.astype(np.float32)


spectrum, kind, amount = record(cfg["n"])
a, b = int(0.7 * cfg["n"]), int(0.85 * cfg["n"])
x_mean, x_std = spectrum[:a].mean(0), spectrum[:a].std(0)
m_mean, m_std = amount[:a].mean(), amount[:a].std()
x = torch.from_numpy((spectrum - x_mean) / x_std)
k = torch.from_numpy(kind)
m = torch.from_numpy((amount - m_mean) / m_std)

train_loader = DataLoader(TensorDataset(x[:a], k[:a], m[:a]), batch_size=cfg["batch"], shuffle=True)
val_set = (x[a:b], k[a:b], m[a:b])
test_set = (x[b:], k[b:], m[b:])


class SpectrumNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(cfg["channels"], cfg["hidden"]), nn.ReLU(),
            nn.Linear(cfg["hidden"], 12), nn.ReLU(),
        )
        self.substance = nn.Linear(12, 6)
        self.amount = nn.Linear(12, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.substance(h), self.amount(h).squeeze(1)


model = SpectrumNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=0.02)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg["epochs"])
ce, mse = nn.CrossEntropyLoss(), nn.MSELoss()


def evaluate(data):
    xs, ks, ms = data
    model.eval()
    with torch.no_grad():
        logits, value = model(xs)
    acc = (logits.argmax(1) == ks).float().mean().item()
    r2 = 1 - (value - ms).pow(2).mean().item() / ms.var(unbiased=False).item()
    return acc, r2


for epoch in range(cfg["epochs"]):
    model.train()
    sums = np.zeros(2)
    for xb, kb, mb in train_loader:
        logits, value = model(xb)
        l_class = ce(logits, kb)
        l_amount = mse(value, mb)
        loss = cfg["w_class"] * l_class + cfg["w_amount"] * l_amount
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sums += np.array([l_class.item(), l_amount.item()]) * len(xb)
    scheduler.step()
    acc, r2 = evaluate(val_set)
    print("epoch %2d  class loss %.4f  amount loss %.4f  val acc %.3f  val R2 %.3f" % (epoch + 1, *(sums / a), acc, r2))

acc, r2 = evaluate(test_set)
print("test: accuracy %.3f, R2 of the amount %.3f" % (acc, r2))
