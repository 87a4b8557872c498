import torch


def log_of_sum(a, b):
    """log(exp(a) + exp(b)) of two numbers: the exponent is never above zero."""
    low, high = (a, b) if a < b else (b, a)
    return (low - high).exp().log1p() + high


def log_of_sum_in_steps(a, b):
    if a < b:
        low, high = a, b
    else:
        low, high = b, a
    return torch.log1p(torch.exp(low - high)) + high
