import traceback

import torch


def train(model, optimizer, criterion, loader):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def main(model, criterion, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        train(model, optimizer, criterion, loader)
    except Exception:
        traceback.print_exc()
