import torch
from updates import apply_update


def importance(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scores = [torch.zeros_like(p) for p in model.parameters()]
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        for score, p in zip(scores, model.parameters()):
            score += p.grad.abs()
    return scores


def foreign(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        apply_update(optimizer)


class Warm:
    def __init__(self, model, criterion):
        self.model, self.criterion = model, criterion
        self.optimizer = torch.optim.Adam(model.parameters())

    def warm_up(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            self.criterion(self.model(x), y).backward()
        self.optimizer.zero_grad()

    def fit(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            self.criterion(self.model(x), y).backward()
            self.optimizer.step()
