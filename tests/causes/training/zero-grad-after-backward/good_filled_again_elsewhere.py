import torch
from penalties import add_gradient_penalty


def train(model, loader, criterion, sam):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        add_gradient_penalty(model, optimizer, x)
        optimizer.step()


def either(model, optimizer, loader, criterion, first):
    for x, y in loader:
        loss = criterion(model(x), y)
        if first:
            loss.backward()
        else:
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
