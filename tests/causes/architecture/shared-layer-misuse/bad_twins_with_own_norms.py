import torch
from torch import nn


class SamePerson(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3)
        self.norm_left = nn.BatchNorm2d(16)
        self.norm_right = nn.BatchNorm2d(16)  # shared-layer-misuse
        self.head = nn.Linear(16, 32)

    def forward(self, face1, face2):
        one = torch.relu(self.norm_left(self.stem(face1))).mean((2, 3))
        two = torch.relu(self.norm_right(self.stem(face2))).mean((2, 3))
        return (self.head(one) - self.head(two)).pow(2).sum(1)
