import numpy as np
import torch
from torch import nn

torch.manual_seed(3)
rs = np.random.RandomState(3)

# hourly river level: rain goes through two reservoirs, plus a daily tide
N = 4200
rain = rs.gamma(0.25, 1.2, N) * (rs.rand(N) < 0.3)
fast = slow = 0.0
level = np.zeros(N)
for h in range(N):
    inflow = rain[h - 4] if h >= 4 else 0.0  # four hours from the hills to the gauge
    fast = 0.82 * fast + inflow
    slow = 0.985 * slow + 0.12 * inflow
    level[h] = fast + 0.8 * slow + 0.4 * np.sin(2 * np.pi * h / 24) + 0.12 * rs.randn()

# chronological parts
n_tr, n_va = 2900, 600
series = np.stack([rain, level], 1)
mu, sd = series[:n_tr].mean(0), series[:n_tr].std(0)
series = torch.tensor((series - mu) / sd, dtype=torch.float32)

WIN, AHEAD = 24, 3


def windows(lo, hi):
    xs = [series[i - WIN:i] for i in range(lo + WIN, hi - AHEAD)]
    ys = [series[i + AHEAD - 1, 1] for i in range(lo + WIN, hi - AHEAD)]
    return torch.stack(xs), torch.stack(ys)


x_tr, y_tr = windows(0, n_tr)
x_va, y_va = windows(n_tr, n_tr + n_va)
x_te, y_te = windows(n_tr + n_va, N)
print("windows:", len(x_tr), len(x_va), len(x_te))


class LevelNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.lin = nn.Linear(hidden, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.lin(out[:, -1]).squeeze(-1)


def mse(net, x, y):
    net.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(net(x), y).item()


net = LevelNet()
optim = torch.optim.Adam(net.parameters(), lr=0.01)
best_val, best_weights, best_epoch, waited = float("inf"), None, 0, 0
PATIENCE = 8

for epoch in range(40):
    net.train()
    order = torch.randperm(len(x_tr))
    tot = 0.0
    for part in order.split(32):
        optim.zero_grad()
        loss = nn.functional.mse_loss(net(x_tr[part]), y_tr[part])
        loss.backward()
        optim.step()
        tot += loss.item() * len(part)
    val = mse(net, x_va, y_va)
    print(f"epoch {epoch:2d}  train {tot / len(x_tr):.4f}  val {val:.4f}")
    if val < best_val:
        best_val, best_epoch, waited = val, epoch, 0
        best_weights = net.state_dict()
    else:
        waited += 1
        if waited == PATIENCE:
            print("no improvement for", PATIENCE, "epochs, stopping")
            break

net.load_state_dict(best_weights)
print(f"restored epoch {best_epoch} (val {best_val:.4f})")
test = mse(net, x_te, y_te)
naive = nn.functional.mse_loss(x_te[:, -1, 1], y_te).item()
print(f"test mse {test:.4f}   last-value forecast {naive:.4f}   R2 {1 - test / y_te.var().item():.3f}")
