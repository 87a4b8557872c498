import torch.nn as nn


class Block(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        h = self.conv1(x)
        out = self.relu(h)  # inplace-corruption
        out = self.conv2(out)
        return out + h
