"""A small GAN that learns to draw points from a noisy ring in the plane."""

import math

import torch
import torch.nn as nn

torch.manual_seed(7)

NOISE_DIM = 4
BATCH = 128
STEPS = 900


def sample_ring(n):
    angle = 2 * math.pi * torch.rand(n)
    radius = 1.4 + 0.1 * torch.randn(n)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


def energy_distance(a, b):
    n, m = len(a), len(b)
    cross = torch.cdist(a, b).mean()
    within_a = torch.cdist(a, a).sum() / (n * (n - 1))
    within_b = torch.cdist(b, b).sum() / (m * (m - 1))
    return (2 * cross - within_a - within_b).item()


class Generator(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(NOISE_DIM, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, 2),
        )

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(1)


netG, netD = Generator(), Discriminator()
optG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.99))
optD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.99))
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(BATCH), torch.zeros(BATCH)

for step in range(1, STEPS + 1):
    real = sample_ring(BATCH)
    fake = netG(torch.randn(BATCH, NOISE_DIM))

    netD.zero_grad()
    loss_real = criterion(netD(real), ones)
    loss_fake = criterion(netD(fake.detach()), zeros)
    lossD = loss_real + loss_fake
    lossD.backward()
    optD.step()

    netG.zero_grad()
    lossG = criterion(netD(fake), ones)
    lossG.backward()
    optG.step()

    if step % 100 == 0:
        print(f"[{step}/{STEPS}] loss_D {lossD.item():.3f} loss_G {lossG.item():.3f}")

netG.eval()
with torch.no_grad():
    drawn = netG(torch.randn(1000, NOISE_DIM))
    held_out = sample_ring(1000)
    untrained = Generator()(torch.randn(1000, NOISE_DIM))
    print(f"untrained energy distance {energy_distance(untrained, held_out):.3f}")
    print(f"final energy distance {energy_distance(drawn, held_out):.3f}")
