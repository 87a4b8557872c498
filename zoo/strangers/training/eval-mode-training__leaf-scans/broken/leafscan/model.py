from torch import nn


def block(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class LeafNet(nn.Module):
    """Nine plain conv blocks and a linear classifier."""

    def __init__(self, n_classes, w=12):
        super().__init__()
        self.features = nn.Sequential(
            block(1, w),
            block(w, w),
            block(w, w),
            block(w, 2 * w, stride=2),
            block(2 * w, 2 * w),
            block(2 * w, 2 * w),
            block(2 * w, 2 * w, stride=2),
            block(2 * w, 2 * w),
            block(2 * w, 2 * w),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(2 * w, n_classes)

    def forward(self, x):
        return self.head(self.pool(self.features(x)).flatten(1))
