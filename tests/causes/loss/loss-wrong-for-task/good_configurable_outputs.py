import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, features, outputs=1):
        super().__init__()
        self.fc = nn.Linear(features, outputs)

    def forward(self, x):
        return self.fc(x)


class Attend(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        weights = torch.softmax(self.score(x), dim=1)
        return torch.sigmoid(self.out((weights * x).sum(1)))


def loss_of(x, y, classes):
    net = Net(x.shape[1], outputs=classes)
    return nn.CrossEntropyLoss()(net(x), y) + nn.BCELoss()(Attend(8)(x).squeeze(1), y.float())
