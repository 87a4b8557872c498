# Soft sensor for a buffer tank.
# The level gauge is only mounted during commissioning; afterwards the level has to be estimated online from
# the pump command, the outlet valve and the ambient temperature. Data arrive as long recordings which are
# processed in windows of WINDOW samples, the way the PLC gateway delivers them.
import math
import time

import torch
from torch import nn

torch.manual_seed(77)

WINDOW = 20
STEPS = 240
HIDDEN = 32


def record(n, steps, gen):
    """n recordings; every one starts with the tank half full."""
    def piecewise(hold):
        k = steps // hold + 1
        return torch.rand(n, k, generator=gen).repeat_interleave(hold, dim=1)[:, :steps]

    pump, valve = piecewise(16), piecewise(24)
    season = torch.rand(n, 1, generator=gen) * 2 * math.pi
    temp = torch.sin(torch.arange(steps) * 0.02 + season)
    level, trace = torch.full((n,), 0.5), []
    for t in range(steps):
        inflow = 0.05 * pump[:, t]
        outflow = 0.06 * valve[:, t] * level.clamp(min=0).sqrt()
        evaporation = 0.002 * (1 + temp[:, t])
        level = (level + inflow - outflow - evaporation).clamp(0.0, 1.0)
        trace.append(level)
    u = torch.stack([pump, valve, temp], dim=-1)
    u = u + 0.02 * torch.randn(u.shape, generator=gen)
    y = torch.stack(trace, dim=1).unsqueeze(-1)
    return u, y


class LevelEstimator(nn.Module):
    def __init__(self, n_in=3, hidden=HIDDEN):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh())
        self.core = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, u, memory=None):
        z = self.inp(u)
        z, memory = self.core(z)
        return self.out(z), memory


def windows(u, y):
    for s in range(0, u.shape[1], WINDOW):
        yield u[:, s:s + WINDOW], y[:, s:s + WINDOW]


gen = torch.Generator().manual_seed(1)
u_train, y_train = record(320, STEPS, gen)
u_val, y_val = record(64, STEPS, gen)
u_test, y_test = record(96, STEPS, gen)

mu, sd = u_train.mean((0, 1)), u_train.std((0, 1))
u_train, u_val, u_test = [(u - mu) / sd for u in (u_train, u_val, u_test)]
y_mu, y_sd = y_train.mean(), y_train.std()

model = LevelEstimator()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
EPOCHS, BATCH = 30, 64
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)


def stream(u, y):
    """Run the estimator online over whole recordings; returns predictions in tank units."""
    model.eval()
    memory, parts = None, []
    with torch.no_grad():
        for uw, _ in windows(u, y):
            pred, memory = model(uw, memory)
            parts.append(pred)
    return torch.cat(parts, dim=1) * y_sd + y_mu


def scores(u, y):
    pred = stream(u, y)
    mae = (pred - y).abs().mean().item()
    r2 = 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return mae, r2.item()


t0 = time.time()
for epoch in range(EPOCHS):
    model.train()
    total, count = 0.0, 0
    for idx in torch.randperm(len(u_train)).split(BATCH):
        memory = None
        for uw, yw in windows(u_train[idx], (y_train[idx] - y_mu) / y_sd):
            pred, memory = model(uw, memory)
            memory = memory.detach()
            loss = nn.functional.mse_loss(pred, yw)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total, count = total + loss.item(), count + 1
    sched.step()
    if epoch % 5 == 4 or epoch == 0:
        mae, r2 = scores(u_val, y_val)
        print(f"epoch {epoch + 1:3d}  train mse {total / count:.4f}  val mae {mae:.4f}  val R2 {r2:.3f}  {time.time() - t0:.1f}s")

mae, r2 = scores(u_test, y_test)
print(f"test  mae {mae:.4f} (level 0..1)  R2 {r2:.3f}")
