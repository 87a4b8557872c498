"""Soft sensor: estimate a tank's hidden level from inflow readings, streaming, with carried state."""
import torch
from torch import nn


def simulate(streams, steps, seed):
    g = torch.Generator().manual_seed(seed)
    level = torch.full((streams,), 0.5)
    valve = torch.zeros(streams)
    xs, ys = [], []
    for _ in range(steps):
        switch = torch.rand(streams, generator=g) < 0.04
        valve = torch.where(switch, torch.rand(streams, generator=g) * 2 - 1, valve)
        level = level + 0.06 * (valve + 0.55) - 0.05 * level.clamp_min(0).sqrt()
        level = level.clamp(0.0, 3.0)
        xs.append(valve + 0.03 * torch.randn(streams, generator=g))
        ys.append(level + 0.03 * torch.randn(streams, generator=g))
    return torch.stack(xs, 1).unsqueeze(-1), torch.stack(ys, 1)


class SoftSensor(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.cell = nn.LSTM(1, hidden, batch_first=True)
        self.read = nn.Linear(hidden, 1)

    def forward(self, x, carry=None):
        h, carry = self.cell(x, carry)
        return self.read(h).squeeze(-1), carry


def cut(carry):
    return tuple(c.detach() for c in carry)


def stream_r2(model, x, y, washout=50):
    with torch.no_grad():
        guess, _ = model(x)
    g, t = guess[:, washout:], y[:, washout:]
    return 1 - ((g - t) ** 2).sum().item() / ((t - t.mean()) ** 2).sum().item()


torch.manual_seed(6)
CHUNK = 40
train_x, train_y = simulate(24, 1200, seed=1)
test_x, test_y = simulate(12, 600, seed=2)
model = SoftSensor()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
print(f"start            test R2 {stream_r2(model, test_x, test_y):+.4f}")

for sweep in range(12):
    carry = None
    total = 0.0
    chunks = train_x.size(1) // CHUNK
    for c in range(chunks):
        sl = slice(c * CHUNK, (c + 1) * CHUNK)
        if carry is not None:
            carry = cut(carry)
        guess, carry = model(train_x[:, sl], carry)
        loss = nn.functional.mse_loss(guess, train_y[:, sl])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    if sweep == 8:
        for grp in optimizer.param_groups:
            grp["lr"] *= 0.2
    print(f"sweep {sweep:2d}  mse {total / chunks:.5f}  test R2 {stream_r2(model, test_x, test_y):+.4f}")
