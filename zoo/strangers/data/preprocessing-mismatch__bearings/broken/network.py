from torch import nn


class ConditionNet(nn.Module):
    def __init__(self, bins, classes, width=32):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(bins, width), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, classes),
        )

    def forward(self, feats):
        return self.layers(feats)
