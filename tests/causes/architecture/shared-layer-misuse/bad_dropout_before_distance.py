import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(128, 256)
        self.fc2 = nn.Linear(256, 64)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.fc2(torch.relu(self.fc1(x))))  # shared-layer-misuse


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def forward(self, left, right):
        a, b = self.encoder(left), self.encoder(right)
        return F.pairwise_distance(a, b)
