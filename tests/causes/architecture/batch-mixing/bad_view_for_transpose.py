import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab, dim, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim)
        self.out = nn.Linear(dim, tags)

    def forward(self, tokens):
        b, t = tokens.shape
        e = self.embed(tokens)
        e = e.reshape(t, b, -1)  # batch-mixing
        h, _ = self.rnn(e)
        return self.out(h).transpose(0, 1)
