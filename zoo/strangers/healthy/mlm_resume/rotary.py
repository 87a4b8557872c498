import torch
from torch import nn
import torch.nn.functional as F


def rope(x):
    """x: [B, H, T, D] -> rotated by position."""
    T, D = x.shape[-2:]
    freq = 10000 ** (-torch.arange(0, D, 2, dtype=torch.float32) / D)
    ang = torch.arange(T, dtype=torch.float32)[:, None] * freq
    c, s = ang.cos(), ang.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)


class Block(nn.Module):
    def __init__(self, d, heads, drop):
        super().__init__()
        self.h = heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.drop = nn.Dropout(drop)

    def forward(self, x, pad):
        B, T, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(B, T, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        att = F.scaled_dot_product_attention(rope(q), rope(k), v, attn_mask=~pad[:, None, None, :])
        x = x + self.drop(self.proj(att.transpose(1, 2).reshape(B, T, d)))
        return x + self.drop(self.ff(self.n2(x)))


class RotaryMLM(nn.Module):
    def __init__(self, vocab, d=48, heads=4, layers=2, drop=0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab, d, padding_idx=0)
        nn.init.normal_(self.tok.weight, std=0.05)
        self.blocks = nn.ModuleList(Block(d, heads, drop) for _ in range(layers))
        self.norm = nn.LayerNorm(d)
        self.bias = nn.Parameter(torch.zeros(vocab))

    def forward(self, ids):
        pad = ids.eq(0)
        x = self.tok(ids)
        for b in self.blocks:
            x = b(x, pad)
        return F.linear(self.norm(x), self.tok.weight, self.bias)
