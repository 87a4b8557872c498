import torch


def train(model, loader, criterion, pipelined):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x), y)
        if pipelined:
            reduce_and_backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        else:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def by_hand(model, optimizer, loader, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)):
            p.grad = g
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        log_gradients(model)
        optimizer.zero_grad()
