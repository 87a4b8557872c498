"""Warnings shown once, always, turned into errors, and collected; with its own way to show them."""

import warnings

import torch
from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()


def careless():
    warnings.warn("mind the gap", stacklevel=2)
    return torch.nn.functional.mse_loss(torch.zeros(3, 1), torch.zeros(3))


for _ in range(2):
    careless()
with warnings.catch_warnings(record=True) as kept:
    warnings.simplefilter("always")
    steps(net, optimizer, 3)
    careless()
print([(str(one.message)[:30], one.category.__name__, one.lineno) for one in kept])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    steps(net, optimizer, 10)
    try:
        careless()
    except UserWarning as error:
        print(type(error).__name__, error)
warnings.showwarning = lambda message, category, filename, lineno, file=None, line=None: print("shown", lineno)
for _ in range(2):
    careless()
told(*net.parameters())
