# Remaining-capacity regression for battery cells with Monte-Carlo dropout (Gal & Ghahramani 2016).
# The masks stay on at prediction time: the spread of 60 stochastic passes is the uncertainty we ship to the BMS team.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = 31
MC_PASSES = 60
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def simulate_cells(n_cells, checks=12):
    rows, y, cell = [], [], []
    for c in range(n_cells):
        temp, rate, depth = rng.uniform(10, 45), rng.uniform(0.3, 2.5), rng.uniform(0.4, 1.0)
        quality = rng.normal(0, 0.15)
        for cyc in np.sort(rng.uniform(20, 1500, checks)):
            stress = np.exp(0.03 * (temp - 25)) * (0.5 + 0.4 * rate) * depth ** 1.3 * np.exp(quality)
            cap = 1.0 - 0.11 * stress * (cyc / 1000) ** 0.75 - 0.05 * stress * max(cyc / 1000 - 0.9, 0)
            ir = 20 + 9 * stress * cyc / 1000 + rng.normal(0, 0.5)
            rows.append([temp, rate, depth, cyc, ir, rng.normal(3.65, 0.02)])
            y.append(100 * cap + rng.normal(0, 0.6))
            cell.append(c)
    return np.array(rows, np.float32), np.array(y, np.float32), np.array(cell)


X, Y, CELL = simulate_cells(300)
cells = rng.permutation(300)
fold = {"train": cells[:200], "val": cells[200:245], "test": cells[245:]}   # whole cells, never single check-ups
part = {k: np.isin(CELL, v) for k, v in fold.items()}
mu, sd = X[part["train"]].mean(0), X[part["train"]].std(0)
ym, ys = Y[part["train"]].mean(), Y[part["train"]].std()
tensors = {k: (torch.from_numpy((X[m] - mu) / sd), torch.from_numpy((Y[m] - ym) / ys)) for k, m in part.items()}


class BayesMLP(nn.Module):
    def __init__(self, n_in, width=128, p=0.05):
        super().__init__()
        self.p = p
        self.l1, self.l2, self.head = nn.Linear(n_in, width), nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, x):
        h = F.dropout(F.silu(self.l1(x)), self.p, training=True)
        h = F.dropout(F.silu(self.l2(h)), self.p, training=True)
        mean, log_var = self.head(h).unbind(-1)
        return mean, log_var.clamp(-6, 3)


def nll(mean, log_var, y):
    return 0.5 * (log_var + (y - mean) ** 2 * torch.exp(-log_var)).mean()


@torch.no_grad()
def predict(net, x, passes=MC_PASSES):
    draws = [net(x) for _ in range(passes)]
    means = torch.stack([d[0] for d in draws])
    noise = torch.stack([d[1].exp() for d in draws]).mean(0)
    return means.mean(0), (means.var(0) + noise).sqrt()


def summarise(net, key):
    x, y = tensors[key]
    mean, std = predict(net, x)
    rmse = ((mean - y) ** 2).mean().sqrt().item() * ys
    r2 = 1 - ((mean - y) ** 2).sum().item() / ((y - y.mean()) ** 2).sum().item()
    cover = ((mean - y).abs() < 1.645 * std).float().mean().item()
    return rmse, r2, cover


net = BayesMLP(X.shape[1])
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
EPOCHS = 50
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
loader = DataLoader(TensorDataset(*tensors["train"]), batch_size=64, shuffle=True)
for epoch in range(EPOCHS):
    tot = 0.0
    for xb, yb in loader:
        loss = nll(*net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(xb)
    sched.step()
    if (epoch + 1) % 10 == 0:
        rmse, r2, cover = summarise(net, "val")
        print(f"epoch {epoch + 1:3d}  nll {tot / len(loader.dataset):+.3f}  val rmse {rmse:.2f} %  r2 {r2:.3f}  90% band covers {cover:.2f}")

rmse, r2, cover = summarise(net, "test")
print(f"unseen cells: rmse {rmse:.2f} % capacity, r2 {r2:.3f}, 90% band covers {cover:.2f}")
