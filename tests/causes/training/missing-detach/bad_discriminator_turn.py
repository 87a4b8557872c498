import torch
import torch.nn as N
from torch.optim import Adam


class Gan:
    def __init__(self):
        self.g = N.Sequential(N.Linear(8, 32), N.ReLU(), N.Linear(32, 2))
        self.d = N.Sequential(N.Linear(2, 32), N.ReLU(), N.Linear(32, 1))
        self.opt_g = Adam(self.g.parameters(), lr=1e-4)
        self.opt_d = Adam(self.d.parameters(), lr=1e-4)
        self.bce = N.BCEWithLogitsLoss()

    def train(self, loader):
        for real in loader:
            self.opt_g.zero_grad()
            self.opt_d.zero_grad()
            fake = self.g(torch.randn(len(real), 8))
            score_real = self.d(real)
            score_fake = self.d(fake)  # missing-detach
            loss_d = self.bce(score_real, torch.ones_like(score_real)) + self.bce(
                score_fake, torch.zeros_like(score_fake)
            )
            loss_d.backward()
            self.opt_d.step()
            score = self.d(self.g(torch.randn(len(real), 8)))
            loss_g = self.bce(score, torch.ones_like(score))
            loss_g.backward()
            self.opt_g.step()


Gan().train(loader)
