"""Pre-train a small CNN on textures, then adapt it to shapes.

The adaptation has two stages: the new head is warmed up on top of the pre-trained encoder, then the
whole network is fine-tuned at a lower rate.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

SIZE = 14


class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Linear(24 * 4, n_classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def stripes(n, gen):
    """Sine gratings in four orientations."""
    y = torch.randint(4, (n,), generator=gen)
    angle = y * math.pi / 4
    phase = torch.rand(n, generator=gen) * 2 * math.pi
    grid = torch.arange(SIZE).float()
    u = angle.cos()[:, None, None] * grid[None, :, None]
    v = angle.sin()[:, None, None] * grid[None, None, :]
    x = torch.sin(1.6 * (u + v) + phase[:, None, None])
    x = x + 0.4 * torch.randn(n, SIZE, SIZE, generator=gen)
    return x[:, None], y


def shapes(n, gen):
    """A filled square, a hollow square, a plus or a saltire at a random place."""
    glyphs = torch.zeros(4, 7, 7)
    glyphs[0, 1:6, 1:6] = 1
    glyphs[1, 0:7, 0:7] = 1
    glyphs[1, 1:6, 1:6] = 0
    glyphs[2, 3, :] = glyphs[2, :, 3] = 1
    glyphs[3] = torch.maximum(torch.eye(7), torch.eye(7).flip(0))
    y = torch.randint(4, (n,), generator=gen)
    x = 0.55 * torch.randn(n, SIZE, SIZE, generator=gen)
    corner = torch.randint(0, SIZE - 6, (n, 2), generator=gen)
    for i, (r, c) in enumerate(corner.tolist()):
        x[i, r : r + 7, c : c + 7] += 1.8 * glyphs[y[i]]
    return x[:, None], y


def normalise(train, *others):
    mean, std = train[0].mean(), train[0].std()
    return [((x - mean) / std, y) for x, y in (train, *others)]


def run(net, optimizer, data, epochs, name, batch=50):
    x, y = data
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    net.train()
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        scheduler.step()
        print(f"{name} epoch {epoch + 1}: loss {total / len(x):.4f}")


@torch.no_grad()
def score(net, data):
    net.eval()
    x, y = data
    return (net(x).argmax(1) == y).float().mean().item()


torch.manual_seed(11)
gen = torch.Generator().manual_seed(11)
tex_train, tex_val = normalise(stripes(800, gen), stripes(300, gen))
shape_train, shape_val, shape_test = normalise(
    shapes(1500, gen), shapes(300, gen), shapes(600, gen)
)

net = Net(n_classes=4)
run(net, torch.optim.Adam(net.parameters(), lr=3e-3), tex_train, 3, "textures")
print(f"textures val acc {score(net, tex_val):.3f}")

net.head = nn.Linear(24 * 4, 4)
net.encoder.requires_grad_(False)
run(net, torch.optim.Adam(net.head.parameters(), lr=3e-3), shape_train, 3, "head")
print(f"after warm-up: shapes val acc {score(net, shape_val):.3f}")

net.encoder.requires_grad = True
run(net, torch.optim.Adam(net.parameters(), lr=5e-3), shape_train, 12, "fine-tune")
print(f"shapes val acc {score(net, shape_val):.3f}")
print(f"shapes test acc {score(net, shape_test):.3f}")
