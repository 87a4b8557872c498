import torch
from torch import nn
from torch.optim import Optimizer


class Rows(Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for table in group["params"]:
                rows = table.grad.abs().sum(1).nonzero().squeeze(1)
                table[rows] -= group["lr"] * table.grad[rows]
                table[0].sub_(group["lr"] * table.grad[0])  # one row is a view
                table[2:4].add_(table.grad[2:4], alpha=-group["lr"])  # and so is a slice
                for row in rows.tolist():
                    table[row].sub_(group["lr"] * table.grad[row])


table = nn.Embedding(50, 4)
optimizer = Rows(table.parameters(), lr=0.1)
for _ in range(20):
    loss = (table(torch.randint(50, (16,))) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
