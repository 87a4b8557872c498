import torch
from torch import nn, optim


class Trainer:
    def __init__(self, lr=1e-3):
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
        self.opt = optim.Adam(self.net.parameters(), lr=lr)

    def train_epoch(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            loss = nn.functional.cross_entropy(self.net(x), y)  # eval-mode-training
            loss.backward()
            self.opt.step()

    def check(self, loader):
        self.net.eval()
        with torch.no_grad():
            for x, y in loader:
                print((self.net(x).argmax(1) == y).float().mean().item())

    def run(self, train, val, epochs=5):
        for _ in range(epochs):
            self.train_epoch(train)
            self.check(val)


Trainer().run(train_loader, val_loader)
