import torch


def softplus_by_hand(x):
    """Where x is large the answer is x itself; those entries never reach the exponential."""
    small = x <= 18
    below = (lambda z: z.exp().log1p())(x.masked_fill(~small, 0))
    above = (lambda z: z + (-z).exp())(x.masked_fill(small, 0))
    return torch.where(small, below, above)


def softplus_in_one_line(x):
    return torch.where(x > 20, x, torch.log(1 + torch.exp(x.masked_fill(x > 20, 0.0))))
