import torch
import torch.nn as N


def groups(net):
    decay = [p for p in net.parameters() if p.ndim >= 2]
    plain = [p for p in net.parameters() if p.ndim < 2]
    return [
        {"params": decay, "weight_decay": 1.0},  # over-regularized
        {"params": plain, "weight_decay": 0.0},
    ]


net = N.Sequential(N.Linear(10, 20), N.ReLU(), N.Linear(20, 2))
optimizer = torch.optim.Adam(groups(net), lr=1e-3)
