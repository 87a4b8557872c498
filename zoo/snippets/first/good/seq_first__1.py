import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, vocab, d=128, n=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        layer = nn.TransformerEncoderLayer(d, 4, 256)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(d, n)

    def forward(self, ids):                       # (batch, seq)
        pad = ids == 0
        h = self.emb(ids).transpose(0, 1)         # (seq, batch, d)
        h = self.enc(h, src_key_padding_mask=pad)
        keep = (~pad).t().unsqueeze(-1)
        h = (h * keep).sum(dim=0) / keep.sum(dim=0).clamp(min=1)
        return self.out(h)
