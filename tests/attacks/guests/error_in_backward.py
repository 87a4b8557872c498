"""A hook of the backward pass fails, once caught and once not; errors in groups and with causes."""

import torch
from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
steps(net, optimizer, 6)


def refuse(slope):
    raise ArithmeticError("a hook says no")


handle = net[0].weight.register_hook(refuse)
try:
    steps(net, optimizer, 1)
except ArithmeticError as error:
    print(type(error).__name__, error)
handle.remove()
print(repr(steps(net, optimizer, 3)))
told(*net.parameters())
try:
    net(torch.zeros(2, 5))
except RuntimeError as error:
    raise ExceptionGroup("two at once", [error, ValueError("another")]) from KeyError("first")
