from torch import nn

from data import CHANNELS


class TrialNet(nn.Module):
    """Two pooled temporal convolutions over all electrodes and a small classifier."""

    def __init__(self, temporal=16, spatial=48, classes=2):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(CHANNELS, temporal, 25, padding=12),
            nn.ReLU(),
            nn.MaxPool1d(4),
            nn.Conv1d(temporal, spatial, 9, padding=4),
            nn.ReLU(),
            nn.MaxPool1d(4),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(spatial * 10, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, x):
        return self.classifier(self.features(x))
