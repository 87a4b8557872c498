import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        y = torch.softmax(q @ k.transpose(-2, -1), -1) @ v
        return y.transpose(1, 2).reshape(B, T, C)


def images(x):
    b, c, h, w = x.shape
    return x.reshape(b, c, h * w).mean(2).view(b, c, 1, 1), x.flatten(1), x.view(b * c, h, w)
