import torch


def full_batch_in_pieces(model, pieces, criterion, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        optimizer.zero_grad()
        for i, (x, y) in enumerate(pieces):
            loss = criterion(model(x), y) / len(pieces)
            loss.backward()
            if i == len(pieces) - 1:
                optimizer.step()


def fresh_leaf(x, target, loss_fn, lr):
    for _ in range(50):
        x = x.detach().requires_grad_()
        loss_fn(x, target).backward()
        with torch.no_grad():
            x -= lr * x.grad
    return x


def one_clears_both(model, loader, criterion):
    fast = torch.optim.SGD(model.parameters(), lr=0.1)
    slow = torch.optim.Adam(model.parameters(), lr=1e-4)
    for i, (x, y) in enumerate(loader):
        fast.zero_grad()
        criterion(model(x), y).backward()
        (slow if i % 2 else fast).step()
        slow.step()
