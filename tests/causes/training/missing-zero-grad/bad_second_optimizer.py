import torch
import torch.nn as N


class Gan:
    def __init__(self):
        self.gen = N.Linear(16, 2)
        self.disc = N.Linear(2, 1)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=1e-4)
        self.opt_d = torch.optim.Adam(self.disc.parameters(), lr=1e-4)
        self.bce = N.BCEWithLogitsLoss()

    def train(self, loader):
        for real in loader:
            ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
            fake = self.gen(torch.randn(len(real), 16))
            self.opt_d.zero_grad()
            d_loss = self.bce(self.disc(real), ones) + self.bce(self.disc(fake.detach()), zeros)
            d_loss.backward()
            self.opt_d.step()
            g_loss = self.bce(self.disc(fake), ones)
            g_loss.backward()  # missing-zero-grad
            self.opt_g.step()
