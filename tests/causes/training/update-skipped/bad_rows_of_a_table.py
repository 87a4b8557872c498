import torch
from torch import nn
from torch.optim import Optimizer


class TouchedRows(Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for table in group["params"]:
                touched = table.grad.ne(0).any(1)
                idx = touched.nonzero().flatten()
                table[idx].add_(table.grad[idx], alpha=-group["lr"])  # update-skipped


class Masked(Optimizer):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for w in group["params"]:
                w.data[w.grad.abs() > 1e-3].mul_(0.99).sub_(group["lr"] * w.grad[w.grad.abs() > 1e-3])  # update-skipped


table = nn.Embedding(50, 4)
optimizer = TouchedRows(table.parameters(), lr=0.1)
for _ in range(20):
    loss = (table(torch.randint(50, (16,))) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
