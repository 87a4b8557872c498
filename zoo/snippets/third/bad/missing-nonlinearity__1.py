import torch.nn as nn


class PriceModel(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.fc1 = nn.Linear(n_features, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.drop(self.fc1(x))
        x = self.drop(self.fc2(x))
        return self.fc3(x)
