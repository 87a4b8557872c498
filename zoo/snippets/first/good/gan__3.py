import itertools
import torch
import torch.nn as nn


def set_requires_grad(nets, flag):
    for net in nets:
        for p in net.parameters():
            p.requires_grad = flag


class CycleGAN:
    def __init__(self, G_A, G_B, D_A, D_B, pool_A, pool_B, lam=10.0):
        self.G_A, self.G_B, self.D_A, self.D_B = G_A, G_B, D_A, D_B
        self.pool_A, self.pool_B, self.lam = pool_A, pool_B, lam
        self.optim_G = torch.optim.Adam(itertools.chain(G_A.parameters(), G_B.parameters()), lr=2e-4, betas=(0.5, 0.999))
        self.optim_D = torch.optim.Adam(itertools.chain(D_A.parameters(), D_B.parameters()), lr=2e-4, betas=(0.5, 0.999))

    @staticmethod
    def gan(pred, real):
        return nn.functional.mse_loss(pred, torch.full_like(pred, 1.0 if real else 0.0))

    def step(self, a, b):
        fake_b, fake_a = self.G_A(a), self.G_B(b)
        rec_a, rec_b = self.G_B(fake_b), self.G_A(fake_a)

        set_requires_grad([self.D_A, self.D_B], False)
        self.optim_G.zero_grad()
        loss_G = (self.gan(self.D_A(fake_b), True) + self.gan(self.D_B(fake_a), True)
                  + self.lam * (nn.functional.l1_loss(rec_a, a) + nn.functional.l1_loss(rec_b, b)))
        loss_G.backward()
        self.optim_G.step()

        set_requires_grad([self.D_A, self.D_B], True)
        self.optim_D.zero_grad()
        for D, real, fake in ((self.D_A, b, self.pool_B.query(fake_b)), (self.D_B, a, self.pool_A.query(fake_a))):
            loss_D = 0.5 * (self.gan(D(real), True) + self.gan(D(fake.detach()), False))
            loss_D.backward()
        self.optim_D.step()
        return loss_G.item()
