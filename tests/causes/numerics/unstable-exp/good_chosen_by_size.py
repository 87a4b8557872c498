"""Large arguments never reach the exponential, or what it makes of them is not taken."""

import numpy as np
import torch


def log_sigmoid(x):
    return np.where(x < 0, x - np.log1p(np.exp(x)), -np.log1p(np.exp(-x)))


def softplus(x, beta=1.0, threshold=20.0):
    small = x * beta <= threshold
    out = x.clone()
    out[small] = torch.log(1 + torch.exp(beta * x[small])) / beta
    return out


def log_add(a, b):
    first = a > b
    larger = torch.where(first, a, b)
    smaller = torch.where(first, b, a)
    return larger + torch.log1p(torch.exp(smaller - larger))
