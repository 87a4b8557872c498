from torch import nn


def block(i, o):
    return nn.Sequential(nn.Conv1d(i, o, 7, padding=3), nn.BatchNorm1d(o), nn.ReLU(), nn.MaxPool1d(2))


class BeatNet(nn.Module):
    def __init__(self, n_classes=4, width=16):
        super().__init__()
        self.conv = nn.Sequential(block(1, width), block(width, 2 * width), block(2 * width, 2 * width))
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(2 * width * 20, 64), nn.ReLU(), nn.Linear(64, n_classes))

    def forward(self, x):
        return self.fc(self.conv(x))
