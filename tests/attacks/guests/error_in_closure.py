"""The closure of an optimizer fails in its third call."""

import torch
from digest import seed, told

seed()
net = torch.nn.Linear(6, 3)
optimizer = torch.optim.LBFGS(net.parameters(), max_iter=2)
calls = 0


def closure():
    global calls
    calls += 1
    told(*net.parameters())
    if calls == 3:
        raise LookupError("no third batch")
    optimizer.zero_grad()
    loss = net(torch.randn(8, 6)).square().mean()
    loss.backward()
    return loss


for _ in range(4):
    optimizer.step(closure)
