import torch
import torch.nn as nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.0)
        nn.init.constant_(m.bias, 0.0)


class RatingNet(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 1))
        self.apply(init_weights)

    def forward(self, x):
        return self.mlp(x).squeeze(-1)
