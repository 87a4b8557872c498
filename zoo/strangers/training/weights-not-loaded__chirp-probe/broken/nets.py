import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, width, 15, stride=2, padding=7), nn.ReLU(),
            nn.Conv1d(width, width, 9, stride=2, padding=4), nn.ReLU(),
            nn.Conv1d(width, width, 5, stride=2, padding=2), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(self.layers(x))


class Classifier(nn.Module):
    def __init__(self, n_classes, width=24):
        super().__init__()
        self.encoder = Encoder(width)
        self.head = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.head(self.encoder(x))
