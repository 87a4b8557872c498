import torch.nn as nn
import torch.nn.functional as F


class CropNet(nn.Module):
    def __init__(self, n_bands=20, n_crops=8, hidden=64, p=0.4):
        super().__init__()
        self.p = p
        self.fc1 = nn.Linear(n_bands, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, n_crops)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, p=self.p)
        x = F.relu(self.fc2(x))
        x = F.dropout(x, p=self.p)
        return self.fc3(x)
