"""Hourly bike demand: Poisson regression with a small network over calendar and weather features."""
import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def simulate(days=400, seed=8):
    rng = np.random.default_rng(seed)
    hours = np.arange(days * 24)
    hour, dow, season = hours % 24, (hours // 24) % 7, np.sin(2 * np.pi * hours / (24 * 365))
    temp = 14 + 3 * season + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + rng.normal(0, 2, len(hours))
    rain = (rng.random(len(hours)) < 0.12).astype(float)
    rush = np.exp(-0.5 * ((hour - 8) / 1.5) ** 2) + np.exp(-0.5 * ((hour - 17.5) / 2) ** 2)
    rate = np.exp(1.5 + 1.1 * rush * (dow < 5) + 0.5 * (dow >= 5) * np.sin(np.pi * hour / 24)
                  + 0.05 * (temp - 14) - 0.8 * rain)
    X = np.stack([np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24),
                  np.sin(4 * np.pi * hour / 24), np.cos(4 * np.pi * hour / 24),
                  (dow >= 5).astype(float), temp, rain], axis=1)
    return X.astype(np.float32), rng.poisson(rate).astype(np.float32)


class DemandNet(nn.Module):
    def __init__(self, n_features, mean_count):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_features, 48), nn.SiLU(),
            nn.Linear(48, 48), nn.SiLU(),
        )
        self.out = nn.Linear(48, 1)
        nn.init.constant_(self.out.bias, mean_count)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)


def evaluate(model, loader, loss_fn):
    model.eval()
    nll, abs_err, n = 0.0, 0.0, 0
    with torch.inference_mode():
        for x, y in loader:
            log_rate = model(x)
            nll += loss_fn(log_rate, y).item() * len(y)
            abs_err += (log_rate.exp() - y).abs().sum().item()
            n += len(y)
    return nll / n, abs_err / n


def main():
    torch.manual_seed(8)
    X, y = simulate()
    a, b = int(0.7 * len(X)), int(0.85 * len(X))
    scaler = StandardScaler().fit(X[:a])
    X = scaler.transform(X).astype(np.float32)
    parts = [TensorDataset(torch.from_numpy(X[s]), torch.from_numpy(y[s]))
             for s in (slice(0, a), slice(a, b), slice(b, None))]
    train = DataLoader(parts[0], batch_size=128, shuffle=True)
    val, test = (DataLoader(p, batch_size=512) for p in parts[1:])

    model = DemandNet(X.shape[1], float(y[:a].mean()))
    loss_fn = nn.PoissonNLLLoss(log_input=True)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
    for epoch in range(12):
        model.train()
        total = 0.0
        for xb, yb in train:
            loss = loss_fn(model(xb), yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(yb)
        nll, mae = evaluate(model, val, loss_fn)
        print(f"epoch {epoch:2d}  train nll {total / len(parts[0]):.4f}  val nll {nll:.4f}  val mae {mae:.3f}")
    nll, mae = evaluate(model, test, loss_fn)
    base = np.abs(y[b:] - y[:a].mean()).mean()
    print(f"test nll {nll:.4f}  test mae {mae:.3f}  constant forecast mae {base:.3f}")


if __name__ == "__main__":
    main()
