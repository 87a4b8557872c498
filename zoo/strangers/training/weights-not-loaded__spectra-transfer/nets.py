import torch.nn as nn

from spectra import BINS, SUBSTANCES


class Encoder(nn.Module):
    def __init__(self, width=128, code=32):
        super().__init__()
        self.stem = nn.Linear(BINS, width)
        self.mid = nn.Linear(width, width)
        self.code = nn.Linear(width, code)
        self.act = nn.GELU()

    def forward(self, x):
        return self.code(self.act(self.mid(self.act(self.stem(x)))))


class ShareModel(nn.Module):
    """Pre-training task: regress the mixture shares."""

    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.shares = nn.Linear(32, SUBSTANCES)

    def forward(self, x):
        return self.shares(self.encoder(x)).softmax(-1)


class Classifier(nn.Module):
    """Small-lab task: name the main substance."""

    def __init__(self):
        super().__init__()
        self.body = Encoder()
        self.top = nn.Linear(32, SUBSTANCES)

    def forward(self, x):
        return self.top(self.body(x))
