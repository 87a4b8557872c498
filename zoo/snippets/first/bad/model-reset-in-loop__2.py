import torch
from torch import nn, optim


class Experiment:
    def __init__(self, cfg, train_loader, val_loader):
        self.cfg, self.train_loader, self.val_loader = cfg, train_loader, val_loader
        self.best = float("inf")

    def build(self):
        c = self.cfg
        self.net = nn.Sequential(nn.Linear(c.n_in, c.hidden), nn.ELU(), nn.Linear(c.hidden, c.hidden), nn.ELU(),
                                 nn.Linear(c.hidden, c.n_out))
        self.opt = optim.NAdam(self.net.parameters(), lr=c.lr)

    def run_epoch(self):
        self.build()
        for x, y in self.train_loader:
            self.opt.zero_grad()
            loss = nn.functional.smooth_l1_loss(self.net(x), y)
            loss.backward()
            self.opt.step()

    def validate(self):
        s, n = 0.0, 0
        with torch.no_grad():
            for x, y in self.val_loader:
                s += nn.functional.l1_loss(self.net(x), y, reduction="sum").item()
                n += y.numel()
        return s / n

    def run(self):
        for epoch in range(self.cfg.epochs):
            self.run_epoch()
            mae = self.validate()
            self.best = min(self.best, mae)
            print(epoch, mae, self.best)
