import math

import torch
import torch.nn as nn


class GraphLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.W = nn.Parameter(torch.zeros(size=(n_in, n_out)))
        nn.init.xavier_uniform_(self.W.data, gain=1.414)
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x, adj):
        return adj @ (x @ self.W) + self.bias


class Dense(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_out, n_in))
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.w.size(1))
        self.w.data.uniform_(-bound, bound)

    def forward(self, x):
        return nn.functional.linear(x, self.w)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.g1, self.g2 = GraphLayer(8, 16), GraphLayer(16, 16)
        self.out = Dense(16, 4)

    def forward(self, x, adj):
        x = torch.relu(self.g1(x, adj))
        x = torch.relu(self.g2(x, adj))
        return self.out(x)
