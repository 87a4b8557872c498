import torch
from torch import nn


class Encoder(nn.Module):
    """Four samples per output frame."""

    def __init__(self, width=32):
        super().__init__()
        self.width = width
        self.conv = nn.Sequential(
            nn.Conv1d(1, width, 7, padding=3), nn.GroupNorm(4, width), nn.GELU(),
            nn.Conv1d(width, width, 5, stride=2, padding=2), nn.GroupNorm(4, width), nn.GELU(),
            nn.Conv1d(width, width, 5, stride=2, padding=2), nn.GroupNorm(4, width), nn.GELU(),
        )
        self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)

    def forward(self, x):
        z = self.conv(x.unsqueeze(1)).transpose(1, 2)
        return self.rnn(z)[0]


class BeatTagger(nn.Module):
    """Pretraining: the interval between the beats around every frame (from the chest strap)."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.interval = nn.Linear(2 * encoder.width, 1)

    def forward(self, x):
        return self.interval(self.encoder(x)).squeeze(-1)


class RhythmClassifier(nn.Module):
    def __init__(self, encoder, n_classes):
        super().__init__()
        self.encoder = encoder
        dim = 2 * encoder.width
        self.head = nn.Sequential(nn.LayerNorm(2 * dim), nn.Linear(2 * dim, 32), nn.ReLU(), nn.Linear(32, n_classes))

    def forward(self, x):
        z = self.encoder(x)
        return self.head(torch.cat([z.mean(1), z.amax(1)], dim=1))
