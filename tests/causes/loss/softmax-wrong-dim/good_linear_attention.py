import torch
from torch import nn


class LinearAttention(nn.Module):
    def __init__(self, dim, heads=4):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q = q.softmax(dim=-1)
        k = k.softmax(dim=-2)
        context = k.transpose(-2, -1) @ v
        return self.to_out(q @ context)


class Slots(nn.Module):
    def forward(self, slots, inputs):
        dots = torch.einsum("bid,bjd->bij", slots, inputs)
        attn = dots.softmax(dim=1) + 1e-6
        attn = attn / attn.sum(dim=-1, keepdim=True)
        return attn @ inputs
