import math
import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(pos * div)
        pe[0, :, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class ReviewClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=128, n_classes=2):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        self.pe = PositionalEncoding(d_model)
        enc = nn.TransformerEncoderLayer(d_model=d_model, nhead=4, dim_feedforward=256, dropout=0.1)
        self.encoder = nn.TransformerEncoder(enc, num_layers=2)
        self.out = nn.Linear(d_model, n_classes)

    def forward(self, ids):  # ids: (batch, seq)
        h = self.pe(self.embed(ids))
        h = self.encoder(h)
        return self.out(h.mean(dim=1))
