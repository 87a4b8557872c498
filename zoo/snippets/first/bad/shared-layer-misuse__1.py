import torch
import torch.nn as nn
import torch.nn.functional as F


class SiameseSignature(nn.Module):
    """Genuine/forged signature verification, both images go through the same network."""

    def __init__(self, dim=128):
        super().__init__()
        self.conv = nn.Conv2d(1, 32, 5, stride=2)
        self.conv2 = nn.Conv2d(32, 64, 3, stride=2)
        self.bn_left = nn.BatchNorm2d(64)
        self.bn_right = nn.BatchNorm2d(64)
        self.fc = nn.Linear(64 * 16, dim)

    def _branch(self, x, bn):
        x = F.relu(self.conv(x))
        x = F.relu(bn(self.conv2(x)))
        x = F.adaptive_avg_pool2d(x, 4).flatten(1)
        return F.normalize(self.fc(x), dim=1)

    def forward(self, a, b):
        return self._branch(a, self.bn_left), self._branch(b, self.bn_right)


def contrastive(za, zb, same, margin=1.0):
    d = (za - zb).pow(2).sum(1).clamp_min(1e-12).sqrt()
    return (same * d.pow(2) + (1 - same) * F.relu(margin - d).pow(2)).mean()


def train(net, loader, epochs=20):
    opt = torch.optim.Adam(net.parameters(), lr=3e-4)
    for _ in range(epochs):
        net.train()
        for a, b, same in loader:
            loss = contrastive(*net(a, b), same.float())
            opt.zero_grad()
            loss.backward()
            opt.step()
