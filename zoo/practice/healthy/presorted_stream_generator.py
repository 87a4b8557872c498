"""Fresh examples for every step from a generator; nothing is shuffled because nothing repeats."""
import math
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        for _ in range(self.n):
            phase, freq = 6.28 * torch.rand(1, generator=g), 1 + torch.rand(1, generator=g)
            t = torch.arange(13.0) * 0.4
            s = torch.sin(freq * t + phase)
            yield s[:12], s[12:]


torch.manual_seed(2)
net = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for step, (x, y) in enumerate(DataLoader(Stream(16000, 1), batch_size=40)):
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 80 == 79:
        print(step + 1, f"{loss.item():.5f}")
net.eval()
with torch.no_grad():
    e = [(net(x) - y).pow(2).mean() for x, y in DataLoader(Stream(500, 7), batch_size=100)]
print(f"test mse {torch.stack(e).mean().item():.4f}")
