import torch
from torch import nn

from data import PAD


class LogEncoder(nn.Module):
    def __init__(self, vocab, max_len, dim, heads, layers, ff, classes=3):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.pos = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, ff, dropout=0.0, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(dim), enable_nested_tensor=False)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        blank = ids == PAD
        x = self.tok(ids) + self.pos.weight[: ids.size(1)]
        h = self.enc(x, src_key_padding_mask=blank)
        keep = (~blank).unsqueeze(-1).to(h.dtype)
        return self.out((h * keep).sum(1) / keep.sum(1))
