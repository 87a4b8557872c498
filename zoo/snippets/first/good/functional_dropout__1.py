import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d, heads, p=0.1):
        super().__init__()
        self.h, self.p = heads, p
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p if self.training else 0.0, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class MLP(nn.Module):
    def __init__(self, d, p=0.1):
        super().__init__()
        self.a, self.b, self.p = nn.Linear(d, 4 * d), nn.Linear(4 * d, d), p

    def forward(self, x):
        x = F.dropout(F.gelu(self.a(x)), self.p, self.training)
        return F.dropout(self.b(x), p=self.p, training=self.training)
