import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 10, 5)
        self.fc1 = nn.Linear(1440, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv(x), 2)).flatten(1)
        x = F.relu(self.fc1(x))
        x = F.dropout(x)  # dropout-ignores-mode
        return F.log_softmax(self.fc2(x), dim=1)
