"""Truncated back-propagation through time over parallel streams; the order of the chunks matters, so they are not shuffled."""
import torch
from torch import nn

torch.manual_seed(12)
STREAMS, LENGTH, CHUNK = 32, 1200, 30


def make_streams(n, length, seed):
    """Rare pulses set a hidden switch to +1 or -1; the target is the switch times the other input."""
    g = torch.Generator().manual_seed(seed)
    pulse = (torch.rand(n, length, generator=g) < 0.15).float()
    pulse *= torch.randint(0, 2, (n, length), generator=g) * 2 - 1
    pulse[:, 0] = 1.0
    carrier = torch.randn(n, length, generator=g)
    last = torch.where(pulse != 0, torch.arange(length), 0).cummax(1).values
    switch = pulse.gather(1, last)
    return torch.stack([pulse, carrier], -1), switch * carrier


class Memory(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(hidden + 2, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, h=None):
        z, h = self.gru(x, h)
        return self.out(torch.cat([z, x], -1)).squeeze(-1), h


x_train, y_train = make_streams(STREAMS, LENGTH, 1)
x_test, y_test = make_streams(16, 600, 2)
model = Memory()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1e-2, total_steps=16 * (LENGTH // CHUNK))

for epoch in range(16):
    state, total = None, 0.0
    for start in range(0, LENGTH, CHUNK):
        pred, state = model(x_train[:, start:start + CHUNK], state)
        loss = nn.functional.mse_loss(pred, y_train[:, start:start + CHUNK])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()  # one-cycle: per step
        state = state.detach()
        total += loss.item()
    print(f"pass {epoch:2d} mse {total / (LENGTH // CHUNK):.4f}")

with torch.no_grad():
    state, parts = None, []
    for chunk in x_test.split(CHUNK, dim=1):
        pred, state = model(chunk, state)
        parts.append(pred)
mse = nn.functional.mse_loss(torch.cat(parts, 1), y_test).item()
print(f"held-out streams: mse {mse:.4f} (predicting the mean: {y_test.var().item():.3f})")
