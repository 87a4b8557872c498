import itertools
import torch
import torch.nn as nn


def set_requires_grad(nets, flag):
    for net in nets:
        for p in net.parameters():
            p.requires_grad = flag


class CycleGAN:
    def __init__(self, G_AB, G_BA, D_A, D_B, lam=10.0):
        self.G_AB, self.G_BA, self.D_A, self.D_B, self.lam = G_AB, G_BA, D_A, D_B, lam
        self.opt_g = torch.optim.Adam(itertools.chain(G_AB.parameters(), G_BA.parameters()), lr=2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(itertools.chain(D_A.parameters(), D_B.parameters()), lr=2e-4, betas=(0.5, 0.999))
        self.mse, self.l1 = nn.MSELoss(), nn.L1Loss()

    def gan(self, pred, real):
        return self.mse(pred, torch.ones_like(pred) if real else torch.zeros_like(pred))

    def optimize(self, a, b):
        fake_b, fake_a = self.G_AB(a), self.G_BA(b)
        rec_a, rec_b = self.G_BA(fake_b), self.G_AB(fake_a)

        set_requires_grad([self.D_A, self.D_B], False)
        self.opt_g.zero_grad()
        loss_g = self.gan(self.D_B(fake_b), True) + self.gan(self.D_A(fake_a), True)
        loss_g = loss_g + self.lam * (self.l1(rec_a, a) + self.l1(rec_b, b))
        loss_g.backward()
        self.opt_g.step()

        set_requires_grad([self.D_A, self.D_B], True)
        self.opt_d.zero_grad()
        loss_d = 0
        for D, real, fake in ((self.D_A, a, fake_a), (self.D_B, b, fake_b)):
            loss_d = loss_d + 0.5 * (self.gan(D(real), True) + self.gan(D(fake.detach()), False))
        loss_d.backward()
        self.opt_d.step()
        return loss_g.item(), loss_d.item()
