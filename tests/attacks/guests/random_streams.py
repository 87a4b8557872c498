"""Draws from three random streams between and inside the steps."""

import random

import numpy
import torch
from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
own = torch.Generator().manual_seed(5)
for turn in range(6):
    net.eval() if turn % 2 else net.train()
    noise = torch.rand(3, generator=own).sum().item() + random.random() + numpy.random.rand()
    print(repr(steps(net, optimizer, 3)), repr(noise), torch.randperm(5).tolist())
    with torch.random.fork_rng():
        torch.manual_seed(turn)
        print(torch.rand(2).tolist())
told(*net.parameters())
