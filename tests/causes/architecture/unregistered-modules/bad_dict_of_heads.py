import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(32, 64), nn.ReLU())
        self.heads = {"age": nn.Linear(64, 1), "sex": nn.Linear(64, 2)}  # unregistered-modules

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


model = MultiTask()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
