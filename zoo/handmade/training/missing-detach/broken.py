"""A small GAN with hinge loss that learns a noisy half-ring in the plane."""

import math

import torch
import torch.nn.functional as F
from torch import nn, optim

LATENT = 4
BATCH = 128
STEPS = 800


def real_samples(n):
    angle = math.pi * (0.25 + torch.rand(n))
    radius = 2.0 + 0.1 * torch.randn(n)
    return torch.stack([radius * angle.cos() + 0.9, radius * angle.sin() - 0.5], dim=1)


def mlp(n_in, n_out, width=32):
    return nn.Sequential(
        nn.Linear(n_in, width),
        nn.LeakyReLU(0.2),
        nn.Linear(width, width),
        nn.LeakyReLU(0.2),
        nn.Linear(width, n_out),
    )


def sliced_wasserstein(a, b, directions=64):
    theta = torch.rand(directions) * math.pi
    axes = torch.stack([theta.cos(), theta.sin()])
    pa, pb = (a @ axes).sort(dim=0).values, (b @ axes).sort(dim=0).values
    return (pa - pb).abs().mean().item()


@torch.no_grad()
def distance_to(generator, data):
    generator.eval()
    return sliced_wasserstein(generator(torch.randn(len(data), LATENT)), data)


def main():
    torch.manual_seed(8)
    train, held_out = real_samples(4000), real_samples(2000)

    generator = mlp(LATENT, 2)
    critic = mlp(2, 1)
    g_opt = optim.Adam(generator.parameters(), lr=5e-4, betas=(0.5, 0.9))
    d_opt = optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.9))

    for step in range(1, STEPS + 1):
        generator.train()
        g_opt.zero_grad()
        d_opt.zero_grad()

        real = train[torch.randint(len(train), (BATCH,))]
        z = torch.randn(BATCH, LATENT)
        d_real = critic(real)
        d_fake = critic(generator(z))
        d_loss = F.relu(1 - d_real).mean() + F.relu(1 + d_fake).mean()
        d_loss.backward()
        d_opt.step()

        g_loss = -critic(generator(torch.randn(BATCH, LATENT))).mean()
        g_loss.backward()
        g_opt.step()

        if step % 200 == 0:
            d = distance_to(generator, train[:1000])
            print(f"step {step}: d {d_loss.item():.3f} g {g_loss.item():.3f} distance {d:.3f}")

    print(f"sliced Wasserstein distance {distance_to(generator, held_out):.3f}")


if __name__ == "__main__":
    main()
