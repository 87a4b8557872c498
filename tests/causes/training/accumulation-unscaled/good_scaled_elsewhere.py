import torch
from scaling import average_gradients


def rescaled(model, loader, accum):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        torch.nn.functional.cross_entropy(model(x), y).backward()
        if (i + 1) % accum == 0:
            for p in model.parameters():
                p.grad.div_(accum)
            optimizer.step()
            optimizer.zero_grad()


def helped(model, loader, accum):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        torch.nn.functional.cross_entropy(model(x), y).backward()
        if (i + 1) % accum == 0:
            average_gradients(optimizer, accum)
            optimizer.step()
            optimizer.zero_grad()


def two_speeds(fast_part, slow_part, loader):
    fast = torch.optim.SGD(fast_part.parameters(), lr=0.1)
    slow = torch.optim.SGD(slow_part.parameters(), lr=0.01)
    for i, (x, y) in enumerate(loader):
        torch.nn.functional.cross_entropy(slow_part(fast_part(x)), y).backward()
        fast.step()
        fast_part.zero_grad()
        if i % 10 == 0:
            slow.step()
            slow.zero_grad()
