from torch import nn


def conv_encoder():
    return nn.Sequential(
        nn.Conv1d(3, 24, 9, stride=2, padding=4), nn.ReLU(),
        nn.Conv1d(24, 32, 7, stride=2, padding=3), nn.ReLU(),
        nn.Conv1d(32, 48, 5, stride=2, padding=2), nn.ReLU(),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(),
    )


class LabNet(nn.Module):
    """classifier trained on the motion-lab recordings"""

    def __init__(self, n_classes):
        super().__init__()
        self.encoder = conv_encoder()
        self.fc = nn.Linear(48, n_classes)

    def forward(self, x):
        return self.fc(self.encoder(x))


class ClinicNet(nn.Module):
    """normal vs. abnormal gait, for the clinic's own device"""

    def __init__(self):
        super().__init__()
        self.backbone = conv_encoder()
        self.head = nn.Linear(48, 2)

    def forward(self, x):
        return self.head(self.backbone(x))
