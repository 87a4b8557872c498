import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return x + self.norm(self.conv(x)).relu()


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.stem = nn.Conv1d(1, width, 7)
        block = Residual(width)
        self.blocks = nn.ModuleList(block for _ in range(depth))  # shared-layer-misuse

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return x
