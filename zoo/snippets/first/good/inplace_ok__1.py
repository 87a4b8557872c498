import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.c2, self.b2 = nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.relu = nn.ReLU(inplace=True)
        self.fc = nn.Linear(32, 10)
        self.register_buffer("running", torch.zeros(32))

    def forward(self, x):
        x = self.relu(self.b1(self.c1(x)))
        identity = x
        out = self.b2(self.c2(x))
        # addition keeps nothing for the backward pass
        out += identity
        out = self.relu(out).mean((2, 3))
        if self.training:
            with torch.no_grad():
                self.running.mul_(0.99).add_(0.01 * out.mean(0))
        return self.fc(out)


class MaskedFill(nn.Module):
    def forward(self, scores, mask):
        scores = scores.masked_fill(mask, float("-inf"))
        return scores.softmax(dim=-1)


def constrain(layer, max_norm=2.0):
    with torch.no_grad():
        n = layer.weight.norm(dim=1, keepdim=True).clamp(min=1e-8)
        layer.weight.mul_(n.clamp(max=max_norm) / n)
