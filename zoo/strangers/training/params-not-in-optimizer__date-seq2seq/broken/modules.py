import torch
from torch import nn

from data import BOS, PAD, SRC, TGT_LEN


class Encoder(nn.Module):
    def __init__(self, emb=24, hidden=80):
        super().__init__()
        self.emb = nn.Embedding(len(SRC) + 1, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)

    def forward(self, src):
        _, h = self.rnn(self.emb(src))
        return h


class Decoder(nn.Module):
    def __init__(self, emb=24, hidden=80):
        super().__init__()
        self.emb = nn.Embedding(BOS + 1, emb)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 10)

    def forward(self, h, tgt):
        """Teacher forcing: position t sees the true digits before t."""
        bos = torch.full((tgt.size(0), 1), BOS)
        y, _ = self.rnn(self.emb(torch.cat([bos, tgt[:, :-1]], dim=1)), h)
        return self.out(y)

    def greedy(self, h):
        tok = torch.full((h.size(1), 1), BOS)
        digits = []
        for _ in range(TGT_LEN):
            y, h = self.rnn(self.emb(tok), h)
            tok = self.out(y).argmax(-1)
            digits.append(tok)
        return torch.cat(digits, dim=1)
