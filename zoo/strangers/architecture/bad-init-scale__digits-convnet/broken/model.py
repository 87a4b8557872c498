from torch import nn


def conv(cin, cout, stride=1):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride=stride, padding=1), nn.ReLU())


class PlainNet(nn.Module):
    """Seven plain 3x3 convolutions, no normalisation layers."""

    def __init__(self, width=14, n_classes=10):
        super().__init__()
        self.stages = nn.Sequential(
            conv(1, width),
            conv(width, width),
            conv(width, width),
            conv(width, 2 * width, stride=2),
            conv(2 * width, 2 * width),
            conv(2 * width, 2 * width),
            conv(2 * width, 2 * width, stride=2),
        )
        self.classifier = nn.Linear(2 * width * 4, n_classes)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Conv2d):
            nn.init.normal_(m.weight, mean=0.0, std=0.01)
            nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.stages(x).flatten(1))
