import torch
import torch.nn as nn


class SEBlock(nn.Module):
    def __init__(self, c, r=16):
        super().__init__()
        self.fc1 = nn.Conv2d(c, c // r, 1)
        self.fc2 = nn.Conv2d(c // r, c, 1)
        self.scale = 2.0

    def forward(self, x):
        w = x.mean(dim=(2, 3), keepdim=True)
        w = torch.relu(self.fc1(w))
        w = torch.sigmoid(self.fc2(w))
        w *= self.scale
        return x * w
