import math

import torch


def layer(wide, out):
    spread = 1 / math.sqrt(wide)
    half = wide // 2
    weight = torch.randn(wide, out) * spread
    weight[half:] = 0.5 * torch.randn(wide - half, out) // 1
    return weight.requires_grad_()


def shares(parts):
    """Whole pages for each part; what is left over goes to the first."""
    return [1 // len(parts) * part for part in parts]
