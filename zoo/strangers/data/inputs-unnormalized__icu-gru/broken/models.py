import torch
import torch.nn as nn

_MODELS = {}


def register_model(name):
    def deco(cls):
        _MODELS[name] = cls
        return cls
    return deco


def build_model(settings, n_channels):
    return _MODELS[settings.name](n_channels, settings.hidden, settings.dropout)


@register_model("gru")
class GRUClassifier(nn.Module):
    def __init__(self, n_channels, hidden, dropout):
        super().__init__()
        self.rnn = nn.GRU(n_channels, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(hidden, 1))

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1]).squeeze(-1)


@register_model("conv")
class ConvClassifier(nn.Module):
    def __init__(self, n_channels, hidden, dropout):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(n_channels, hidden, 5, padding=2), nn.GELU(), nn.Conv1d(hidden, hidden, 5, padding=2), nn.GELU())
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(2 * hidden, 1))

    def forward(self, x):
        h = self.net(x.transpose(1, 2))
        return self.head(torch.cat([h.mean(-1), h[..., -1]], -1)).squeeze(-1)
