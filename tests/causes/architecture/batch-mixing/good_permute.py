import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.rnn = nn.GRU(dim, hidden)
        self.attend = nn.MultiheadAttention(hidden, 4)
        self.out = nn.Linear(hidden, 3)

    def forward(self, x):
        b, t, f = x.shape
        x = x.permute(1, 0, 2).contiguous().view(t, b, f)
        h, _ = self.rnn(x)
        h, _ = self.attend(h, h, h)
        h = h.transpose(0, 1)
        return self.out(h[:, -1])


class BatchFirst(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.rnn = nn.LSTM(dim, hidden, 2, True, True)
        layer = nn.TransformerEncoderLayer(hidden, 4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.encoder(h).mean(dim=1) + h[:, -1]
