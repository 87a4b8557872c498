from dataclasses import dataclass

import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    width: int = 256
    heads: int = 4
    attention_dropout: float = 0.0


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = cfg.heads
        self.qkv = nn.Linear(cfg.width, 3 * cfg.width)
        self.rate = cfg.attention_dropout

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.rate).transpose(1, 2).flatten(2)


class Guarded(Attention):
    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        rate = self.rate if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=rate).transpose(1, 2).flatten(2)
