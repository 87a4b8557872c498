import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.scale = torch.ones(dim, requires_grad=True)  # unregistered-modules

    def forward(self, x):
        return self.fc(x) * self.scale


gate = Gate(16)
optimizer = torch.optim.SGD(gate.parameters(), lr=0.1)
