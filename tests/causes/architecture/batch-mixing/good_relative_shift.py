import torch
from torch import nn


class Relative(nn.Module):
    def forward(self, x):
        size = x.shape
        x = x.reshape(size[1], size[0], size[2], size[3])
        x = x[1:]
        return x.reshape(size[0], size[1] - 1, size[2], size[3])
