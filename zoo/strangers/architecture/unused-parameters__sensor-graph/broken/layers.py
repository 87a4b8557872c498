import torch
from torch import nn


class MeanConv(nn.Module):
    """h_i' = W_self h_i + W_nbr mean_j h_j"""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.w_self = nn.Linear(d_in, d_out)
        self.w_nbr = nn.Linear(d_in, d_out, bias=False)

    def forward(self, adj, h):
        around = torch.sparse.mm(adj, h)
        return self.w_self(h) + self.w_self(around)


class SensorGNN(nn.Module):
    def __init__(self, d_in, hidden, classes):
        super().__init__()
        self.conv1 = MeanConv(d_in, hidden)
        self.conv2 = MeanConv(hidden, hidden)
        self.out = nn.Linear(hidden, classes)
        self.act = nn.ELU()

    def forward(self, adj, x):
        h = self.act(self.conv1(adj, x))
        h = self.act(self.conv2(adj, h))
        return self.out(h)
