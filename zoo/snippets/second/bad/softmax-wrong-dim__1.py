import math
import torch
from torch import nn


class SelfAttention(nn.Module):
    """Single-head attention. Input (batch, seq, dim)."""

    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, :] == 0, float("-inf"))
        attn = torch.softmax(scores, dim=1)
        return self.proj(torch.bmm(attn, v))


class SentenceClassifier(nn.Module):
    def __init__(self, vocab, dim, n_classes):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.attn = SelfAttention(dim)
        self.head = nn.Linear(dim, n_classes)

    def forward(self, ids):
        mask = ids != 0
        h = self.attn(self.emb(ids), mask)
        h = (h * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        return self.head(h)
