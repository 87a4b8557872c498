import torch.nn as nn


class Res(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv2d(c, c, 3, padding=1)
        self.conv2 = nn.Conv2d(c, c, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        h = self.conv1(x)
        y = self.relu(h)
        y = self.conv2(y)
        return y + h
