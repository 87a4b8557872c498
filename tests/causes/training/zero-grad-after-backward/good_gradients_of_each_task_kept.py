import torch
from torch import nn


def projected(net: nn.Module, losses, loader, epochs=5):
    """Each task's gradient is put aside before the next one is computed, and their mean is applied."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(epochs):
        for x, targets in loader:
            kept = []
            for task, criterion in losses.items():
                optimizer.zero_grad()
                criterion(net(x), targets[task]).backward()
                kept.append([p.grad.clone() for p in net.parameters()])
            for p, *parts in zip(net.parameters(), *kept):
                p.grad = torch.stack(parts).mean(0)
            optimizer.step()


def patient(net: nn.Module, loss_of, loader, attempts=3):
    """A pass that overflows is tried again."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for batch in loader:
        for _ in range(attempts):
            optimizer.zero_grad()
            loss = loss_of(net, batch)
            loss.backward()
            if torch.isfinite(loss):
                break
        optimizer.step()


def in_parts(net: nn.Module, loss_of, loader, parts=4):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for batch in loader:
        optimizer.zero_grad()
        for piece in batch.chunk(parts):
            (loss_of(net, piece) / parts).backward()
        optimizer.step()
