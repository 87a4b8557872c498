import torch.nn as nn
import torch.nn.functional as F

from signals import LENGTH, NAMES


class BurstNet(nn.Module):
    """Strided patch filters, then a small mixing MLP."""

    def __init__(self, filters=10, kernel=16, stride=8, hidden=64, p_drop=0.1):
        super().__init__()
        self.stem = nn.Conv1d(2, filters, kernel, stride=stride)
        frames = (LENGTH - kernel) // stride + 1
        self.norm = nn.LayerNorm(filters * frames)
        self.fc1 = nn.Linear(filters * frames, hidden)
        self.fc2 = nn.Linear(hidden, len(NAMES))
        self.drop = nn.Dropout(p_drop)

    def forward(self, x):
        h = F.gelu(self.stem(x)).flatten(1)
        h = F.gelu(self.fc1(self.norm(h)))
        return self.fc2(self.drop(h))
