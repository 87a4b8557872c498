import torch
from torch import nn


class Runner:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
        self.opt = torch.optim.Adam(self.model.parameters())

    def fit(self, loader):
        self.model.train()
        for x, y in loader:
            loss = nn.functional.mse_loss(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    @torch.no_grad()
    def score(self, loader):
        self.model.eval()
        errors = [(self.model(x) - y).abs().mean().item() for x, y in loader]
        return sum(errors) / len(errors)


runner = Runner()
for _ in range(3):
    runner.fit(train_loader)
    print(runner.score(val_loader))
