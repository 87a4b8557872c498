import torch.nn as nn


class ResBlock(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(cin, cout, 7, stride=stride, padding=3, bias=False), nn.BatchNorm1d(cout), nn.ReLU(),
            nn.Conv1d(cout, cout, 5, padding=2, bias=False), nn.BatchNorm1d(cout),
        )
        self.skip = nn.Conv1d(cin, cout, 1, stride=stride, bias=False)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.body(x) + self.skip(x))


class BeatNet(nn.Module):
    def __init__(self, n_classes, width=16):
        super().__init__()
        self.features = nn.Sequential(
            ResBlock(1, width, 2), ResBlock(width, 2 * width, 2), ResBlock(2 * width, 2 * width, 2))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(2 * width * 20, n_classes))

    def forward(self, x):
        return self.head(self.features(x))
