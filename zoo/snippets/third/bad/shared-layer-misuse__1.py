import torch
import torch.nn as nn
import torch.nn.functional as F


class SignaturePair(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 32, 5)
        self.bn_left = nn.BatchNorm2d(32)
        self.bn_right = nn.BatchNorm2d(32)
        self.fc = nn.LazyLinear(64)

    def forward(self, left, right):
        a = F.relu(self.bn_left(self.conv(left)))
        b = F.relu(self.bn_right(self.conv(right)))
        a = self.fc(F.adaptive_avg_pool2d(a, 4).flatten(1))
        b = self.fc(F.adaptive_avg_pool2d(b, 4).flatten(1))
        return (a - b).norm(dim=1)
