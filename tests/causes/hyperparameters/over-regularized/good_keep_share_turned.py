import torch
import torch.nn as nn
import torch.nn.functional as F

HP = dict(keep_prob=0.8, width=64)


class Turned(nn.Module):
    def __init__(self, keep_prob=0.9, retain=0.75):
        super().__init__()
        self.first = nn.Dropout(1 - HP["keep_prob"])
        self.second = nn.Dropout(p=1.0 - keep_prob)
        keep_prob = 1 - keep_prob
        self.third = nn.Dropout(keep_prob)
        self.keep = 1 - retain
        self.lin = nn.Linear(HP["width"], HP["width"])

    def forward(self, x):
        x = self.third(self.second(self.first(self.lin(x))))
        return F.dropout(x, self.keep, self.training)


class Unknowing(nn.Module):
    """The number comes from outside and is turned round here."""

    def __init__(self, cfg):
        super().__init__()
        drop = 1 - cfg.keep_prob
        self.drop = nn.Dropout(drop)
        self.rnn = nn.GRU(8, 8, 2, dropout=1 - cfg["keep_rate"])

    def forward(self, x):
        return self.drop(self.rnn(x)[0])
