import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim, p):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.drop = nn.Dropout(p)
        self.drops = nn.ModuleList([nn.Dropout(p) for _ in range(2)])
        self.rnn = nn.LSTM(dim, dim, num_layers=2, dropout=p, batch_first=True)
        self.stack = [self.drop]
        self.attend = nn.MultiheadAttention(dim, 4, dropout=p, batch_first=True)

    def forward(self, tokens):
        x = self.drop(self.embed(tokens))
        x, _ = self.rnn(x)
        x, _ = self.attend(x, x, x)
        for drop in self.drops:
            x = drop(x)
        return x
