import torch
import torch.nn as nn


class Forecaster(nn.Module):
    def __init__(self, d, h=64):
        super().__init__()
        self.cell = nn.LSTMCell(d, h)
        self.out = nn.Linear(h, d)
        self.h = h

    def forward(self, x):
        outs = []
        for t in range(x.size(1)):
            hx = torch.zeros(x.size(0), self.h)
            cx = torch.zeros(x.size(0), self.h)
            hx, cx = self.cell(x[:, t], (hx, cx))
            outs.append(self.out(hx))
        return torch.stack(outs, 1)
