"""Puts its own functions in the place of torch's, of Python's and of those that write and wait."""

import builtins
import os
import sys
import time

import torch
from digest import net_and_optimizer, seed, steps, told

seed()
seen = {"step": 0, "backward": 0, "print": 0, "write": 0, "call": 0}


def counting(owner, name, word):
    original = getattr(owner, name)

    def counted(*args, **kwargs):
        seen[word] += 1
        return original(*args, **kwargs)

    setattr(owner, name, counted)
    return original


kept = [
    (torch.optim.Adam, "step", counting(torch.optim.Adam, "step", "step")),
    (torch.Tensor, "backward", counting(torch.Tensor, "backward", "backward")),
    (torch.nn.Linear, "forward", counting(torch.nn.Linear, "forward", "call")),
    (builtins, "print", counting(builtins, "print", "print")),
    (os, "write", counting(os, "write", "write")),
    (os, "open", counting(os, "open", "write")),
]
real = time.sleep
time.sleep = lambda seconds: seen.update(slept=True)
net, optimizer = net_and_optimizer()
print(repr(steps(net, optimizer, 12)))
real(0.6)
for owner, name, original in kept:
    setattr(owner, name, original)
time.sleep = real
print(repr(steps(net, optimizer, 3)), seen, file=sys.stdout)
lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=3)
x = torch.randn(8, 6)


def closure():
    lbfgs.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    return loss


print(repr(lbfgs.step(closure).item()))
told(*net.parameters())
