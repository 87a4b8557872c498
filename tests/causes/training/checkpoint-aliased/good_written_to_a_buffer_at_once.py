import io

import torch
from torch import nn


class Keeper:
    """Keeps the best weights as bytes, and knows from which epoch they are."""

    def __init__(self, active=True):
        self.lowest = float("inf")
        self.active = active
        self.clear()

    def clear(self):
        self.lowest, self.state, self.epoch = float("inf"), None, None
        self.memory = io.BytesIO()

    def __call__(self, net, loss, epoch):
        if loss < self.lowest:
            self.lowest = loss
            self.state = net.state_dict()
            self.epoch = epoch
            if self.active:
                self.write()

    def write(self):
        self.memory = io.BytesIO()
        torch.save(self.state, self.memory)

    def read(self):
        self.memory.seek(0)
        return torch.load(self.memory, weights_only=True)


def main(train, valid):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    keeper = Keeper(active=True)
    keeper(model, judge(model, valid), epoch=0)
    for epoch in range(1, 20):
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        keeper(model, judge(model, valid), epoch=epoch)
    if keeper.state is not None:
        model.load_state_dict(keeper.read())
    return model


def judge(model, loader):
    model.eval()
    with torch.no_grad():
        total = sum(nn.functional.mse_loss(model(x), y).item() for x, y in loader)
    model.train()
    return total
