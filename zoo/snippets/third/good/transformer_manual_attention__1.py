import math
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d, h, p=0.1):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.h, self.drop = h, nn.Dropout(p)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        k = self.k(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        v = self.v(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        att = q @ k.transpose(-2, -1) / math.sqrt(C // self.h)
        if mask is not None:
            att = att.masked_fill(mask == 0, float("-inf"))
        att = self.drop(att.softmax(dim=-1))
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.o(y)
