import torch
from torch.nn.utils import clip_grad_norm_


def foreign_backward(model, loader, criterion, optimizer):
    for x, y in loader:
        loss = criterion(model(x), y)
        reduced_backward(loss, model)
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.zero_grad()


def train(model, loader, criterion, distributed):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        if distributed:
            reduced_backward(loss, model)
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        else:
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
