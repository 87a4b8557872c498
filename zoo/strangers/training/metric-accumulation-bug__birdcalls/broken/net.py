import torch.nn as nn


def block(cin, cout, k, stride):
    return nn.Sequential(
        nn.Conv1d(cin, cout, k, stride=stride, padding=k // 2, bias=False),
        nn.BatchNorm1d(cout),
        nn.ReLU(),
    )


class CallNet(nn.Module):
    def __init__(self, n_classes, width=16):
        super().__init__()
        self.features = nn.Sequential(
            block(1, width, 33, 4),
            block(width, width * 2, 9, 4),
            block(width * 2, width * 2, 7, 2),
            nn.AdaptiveAvgPool1d(4),
        )
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(width * 2 * 4, n_classes)

    def forward(self, x):
        return self.out(self.drop(self.features(x).flatten(1)))
