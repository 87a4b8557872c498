import torch.nn as nn
import torch.nn.functional as F


class Detector(nn.Module):
    def __init__(self, n_features, n_hidden, n_classes):
        super(Detector, self).__init__()
        self.lin1 = nn.Linear(n_features, n_hidden)
        self.lin2 = nn.Linear(n_hidden, n_classes)

    def forward(self, x):
        x = self.lin1(x)
        F.relu(x)  # missing-nonlinearity
        return self.lin2(x)
