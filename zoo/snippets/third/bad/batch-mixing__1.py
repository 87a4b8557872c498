import torch
import torch.nn as nn


class SensorEncoder(nn.Module):
    def __init__(self, n_feat, d):
        super().__init__()
        self.lstm = nn.LSTM(n_feat, d)
        self.fc = nn.Linear(d, 4)

    def forward(self, x):
        # x: (batch, time, features) -> nn.LSTM wants time first
        b, t, f = x.shape
        x = x.view(t, b, f)
        out, (h, c) = self.lstm(x)
        return self.fc(h[-1])
