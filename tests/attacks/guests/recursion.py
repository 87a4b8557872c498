"""Goes down until Python refuses, through calls of the model, and trains on afterwards."""

import sys

import torch
from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
steps(net, optimizer, 10)
net.eval()


def down(depth):
    with torch.no_grad():
        net(torch.zeros(1, 6))
    return down(depth + 1)


sys.setrecursionlimit(300)
try:
    down(0)
except RecursionError as error:
    print(str(error).partition(" while")[0])
sys.setrecursionlimit(1000)
net.train()
print(repr(steps(net, optimizer, 6)))
told(*net.parameters())
