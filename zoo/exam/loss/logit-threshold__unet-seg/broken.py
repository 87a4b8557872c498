import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(29)
S = 24


def scenes(n):
    g = torch.arange(S).float()
    mask = torch.zeros(n, S, S)
    for _ in range(2):
        c = torch.rand(n, 2, 1, 1) * (S - 8) + 4
        r = torch.rand(n, 1, 1) * 2 + 2
        mask = torch.maximum(mask, ((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None] - c[:, 1]) ** 2 < r ** 2).float())
    img = 0.9 * mask + 0.55 * torch.randn(n, S, S)
    return img.unsqueeze(1), mask.unsqueeze(1)


def double(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2, self.mid = double(1, c), double(c, 2 * c), double(2 * c, 2 * c)
        self.u2, self.u1 = double(4 * c, c), double(2 * c, c)
        self.last = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        y = self.u2(torch.cat([F.interpolate(m, scale_factor=2), b], 1))
        y = self.u1(torch.cat([F.interpolate(y, scale_factor=2), a], 1))
        return self.last(y)


class IoU:
    def __init__(self):
        self.inter = self.union = 0.0

    def add(self, pred, target):
        hit, want = pred == 1, target == 1
        self.inter += (hit & want).sum().item()
        self.union += (hit | want).sum().item()

    @property
    def value(self):
        return self.inter / max(self.union, 1e-9)


def dice_bce(logits, t):
    p = logits.sigmoid()
    dice = 1 - (2 * (p * t).sum() + 1) / (p.sum() + t.sum() + 1)
    return dice + F.binary_cross_entropy_with_logits(logits, t)


net, (xs, ms), (xv, mv) = UNet(), scenes(320), scenes(80)
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(5):
    net.train()
    for i in torch.randperm(len(xs)).split(16):
        loss = dice_bce(net(xs[i]), ms[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    metric = IoU()
    with torch.no_grad():
        for x, m in zip(xv.split(40), mv.split(40)):
            pred = net(x).round()
            metric.add(pred, m)
    print(f"epoch {epoch} loss {loss.item():.3f} val IoU {metric.value:.3f}")
