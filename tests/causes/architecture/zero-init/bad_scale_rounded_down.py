import math

import torch


def layer(wide, out):
    spread = 1 // math.sqrt(wide)  # zero-init
    weight = torch.empty(wide, out)
    torch.nn.init.normal_(weight, 0.0, spread)
    return weight.requires_grad_()


def network(sizes):
    return [layer(a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
