import math
import torch
import torch.nn as nn


class WaveNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 3)

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1])


def waves(n):
    kind = torch.randint(0, 3, (n,))
    t = torch.linspace(0, 4 * math.pi, 24) + 2 * math.pi * torch.rand(n, 1)
    s = torch.sin(t)
    shapes = torch.stack([s, torch.sign(s), 2 * torch.asin(s) / math.pi], 1)
    x = shapes[torch.arange(n), kind]
    return (x + 0.05 * torch.randn_like(x)).unsqueeze(-1), kind


torch.manual_seed(2)
model = WaveNet()
opt = torch.optim.SGD(model.parameters(), lr=0.25, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
MAX_NORM = 0.002
for it in range(1, 401):
    x, y = waves(48)
    loss = loss_fn(model(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
    opt.step()
    if it % 80 == 0:
        print(f"iteration {it} loss {loss.item():.4f}")

with torch.no_grad():
    x, y = waves(600)
    print(f"accuracy={(model(x).argmax(1) == y).float().mean().item():.3f}")
