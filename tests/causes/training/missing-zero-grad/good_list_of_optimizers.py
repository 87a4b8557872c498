import torch
from torch import nn


def fit(parts, loader, loss_fn):
    optimizers = [torch.optim.Adam(part.parameters(), lr=1e-3) for part in parts]
    for x, y in loader:
        for opt in optimizers:
            opt.zero_grad()
        h = x
        for part in parts:
            h = part(h)
        loss_fn(h, y).backward()
        for opt in optimizers:
            opt.step()


def fit_two(encoder: nn.Module, head: nn.Module, loader, loss_fn):
    opt_e = torch.optim.SGD(encoder.parameters(), lr=1e-3)
    opt_h = torch.optim.SGD(head.parameters(), lr=1e-2)
    for x, y in loader:
        encoder.zero_grad()
        head.zero_grad()
        loss_fn(head(encoder(x)), y).backward()
        opt_e.step()
        opt_h.step()
