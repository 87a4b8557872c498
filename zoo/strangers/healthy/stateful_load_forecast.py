# One-step-ahead forecast of electrical load with a stateful LSTM.
# The series is cut into parallel lanes and read in order, so nothing is shuffled and the hidden state is
# carried from chunk to chunk (truncated back-propagation). Train, validation and test follow each other in time.
import io
import math

import torch
import torch.nn as nn

torch.manual_seed(8)
LANES, CHUNK = 12, 24
HOURS = 24 * 7 * 52


def load_curve(hours):
    g = torch.Generator().manual_seed(3)
    t = torch.arange(hours, dtype=torch.float32)
    day = torch.sin(2 * math.pi * t / 24 - 1.2) + 0.4 * torch.sin(4 * math.pi * t / 24)
    week = torch.where((t // 24) % 7 >= 5, -0.7, 0.0)
    season = 0.5 * torch.cos(2 * math.pi * t / (24 * 182))
    ar, e = torch.zeros(hours), 0.15 * torch.randn(hours, generator=g)
    for i in range(1, hours):
        ar[i] = 0.85 * ar[i - 1] + e[i]
    load = 52 + 9 * (day * (1 + 0.3 * season) + week + season + ar)
    calendar = torch.stack([torch.sin(2 * math.pi * t / 24), torch.cos(2 * math.pi * t / 24), (week < 0).float()], 1)
    return load, calendar


load, calendar = load_curve(HOURS)
a, b = int(0.70 * HOURS), int(0.85 * HOURS)
mu, sd = load[:a].mean(), load[:a].std()
z = (load - mu) / sd
inputs = torch.cat([z[:-1, None], calendar[1:]], 1)
targets = z[1:]


def lanes(x, y, n):
    length = len(y) // n
    return x[:n * length].view(n, length, -1), y[:n * length].view(n, length)


tr_x, tr_y = lanes(inputs[:a - 1], targets[:a - 1], LANES)
va_x, va_y = inputs[None, a - 1:b - 1], targets[None, a - 1:b - 1]
te_x, te_y = inputs[None, b - 1:], targets[None, b - 1:]


class Forecaster(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.lstm = nn.LSTM(inputs.shape[1], hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, state=None):
        h, state = self.lstm(x, state)
        return x[..., 0] + self.out(h).squeeze(-1), state


@torch.no_grad()
def mae_of(net, x, y, warm_x):
    _, state = net(warm_x)
    pred, _ = net(x, state)
    return (pred - y).abs().mean().item() * sd.item()


net = Forecaster()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.4, patience=3)
best, snapshot = float("inf"), None

for epoch in range(24):
    net.train()
    state, total, n = None, 0.0, 0
    for s in range(0, tr_x.shape[1], CHUNK):
        xb, yb = tr_x[:, s:s + CHUNK], tr_y[:, s:s + CHUNK]
        if state is not None:
            state = tuple(v.detach() for v in state)
        pred, state = net(xb, state)
        loss = (pred - yb).square().mean()
        net.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        total, n = total + loss.item(), n + 1
    net.eval()
    val = mae_of(net, va_x, va_y, inputs[None, a - 1 - 168:a - 1])
    plateau.step(val)
    if val < best:
        best = val
        state_dict = net.state_dict()
        snapshot = io.BytesIO()
        torch.save(state_dict, snapshot)
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1:2d}  mse {total / n:.4f}  val MAE {val:.3f} MW  lr {opt.param_groups[0]['lr']:.1e}")

snapshot.seek(0)
net.load_state_dict(torch.load(snapshot))
net.eval()
test = mae_of(net, te_x, te_y, inputs[None, b - 1 - 168:b - 1])
persist = (te_x[..., 0] - te_y).abs().mean().item() * sd.item()
floor = 9 * 0.15 * math.sqrt(2 / math.pi)
print(f"best val {best:.3f}  test MAE {test:.3f} MW  persistence {persist:.3f}  innovation floor {floor:.3f}")
