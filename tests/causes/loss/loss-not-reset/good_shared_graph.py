import torch


def two_losses(encoder, heads, optimizer, loader, criterion):
    history = []
    for x, targets in loader:
        features = encoder(x)
        optimizer.zero_grad()
        first = criterion(heads[0](features), targets[0])
        second = criterion(heads[1](features), targets[1])
        first.backward(retain_graph=True)
        second.backward()
        optimizer.step()
        history.append((first.item(), second.item()))
    return history


@torch.no_grad()
def evaluate(model, loader, criterion):
    total = 0
    for x, y in loader:
        total += criterion(model(x), y)
    return total / len(loader)
