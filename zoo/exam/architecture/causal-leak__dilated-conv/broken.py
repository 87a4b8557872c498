import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class HParams:
    levels: int = 12
    channels: int = 24
    kernel: int = 3
    dilations: tuple = (1, 2, 4)
    steps: int = 220
    batch: int = 24
    length: int = 48
    lr: float = 4e-3


hp = HParams()
torch.manual_seed(63)


def record(n):
    x, out, v = 0.0, [], 0.3
    noise = torch.randn(n).tolist()
    for e in noise:
        v = 0.9 * v - 0.15 * x + 0.35 * e
        x = x + 0.5 * v
        out.append(x)
    s = torch.tensor(out)
    s = (s / s.abs().max() + 1) / 2
    return (s * (hp.levels - 1)).round().long()


class CausalConv(nn.Module):
    def __init__(self, c, k, d):
        super().__init__()
        self.pad = (k - 1) * d
        self.conv = nn.Conv1d(c, 2 * c, k, dilation=d)

    def forward(self, x):
        a, b = self.conv(F.pad(x, (self.pad // 2, self.pad - self.pad // 2))).chunk(2, 1)
        return x + torch.tanh(a) * torch.sigmoid(b)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(hp.levels, hp.channels)
        self.stack = nn.Sequential(*[CausalConv(hp.channels, hp.kernel, d) for d in hp.dilations])
        self.out = nn.Conv1d(hp.channels, hp.levels, 1)

    def forward(self, q):
        return self.out(self.stack(self.emb(q).transpose(1, 2)))


def crops(q, n):
    s = torch.randint(0, len(q) - hp.length - 1, (n,))
    w = torch.stack([q[i:i + hp.length + 1] for i in s])
    return w[:, :-1], w[:, 1:]


q = record(9000)
train_q, val_q = q[:8000], q[8000:]
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=hp.lr)
for step in range(1, hp.steps + 1):
    x, y = crops(train_q, hp.batch)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 44 == 0:
        print(f"step {step} nll {loss.item():.4f}")
with torch.no_grad():
    x, y = crops(val_q, 200)
    nll = F.cross_entropy(net(x), y).item()
print(f"val perplexity {math.exp(nll):.3f}")
