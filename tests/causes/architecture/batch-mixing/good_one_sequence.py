import torch
from torch import nn


class Tagger(nn.Module):
    """One sentence at a time, with a batch axis of one in the middle."""

    def __init__(self, vocab, dim, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim)
        self.tag = nn.Linear(dim, tags)

    def forward(self, sentence):
        e = self.embed(sentence).view(len(sentence), 1, -1)
        out, _ = self.lstm(e)
        return torch.log_softmax(self.tag(out[:, 0]), dim=1)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 8)

    def forward(self, steps):
        out, _ = self.gru(steps.unsqueeze(1))
        return out[:, -1].sum(1)
