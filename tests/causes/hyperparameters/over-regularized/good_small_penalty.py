import torch
from torch import nn


class Trainer:
    def __init__(self, net, l1=1e-5):
        self.net, self.l1 = net, l1
        self.optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step(self, x, y):
        penalty = sum(p.abs().sum() for p in self.net.parameters())
        reward = 10.0 * nn.functional.mse_loss(self.net(x), y)
        loss = reward + self.l1 * penalty
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


trainer = Trainer(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(p=0.6), nn.Linear(8, 1)))
for x, y in loader:
    trainer.step(x, y)
