import torch
from torch import nn
from torch.autograd import grad

critic = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
field = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))


def penalty(real, fake):
    mix = torch.rand(len(real), 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_(True)
    slope = torch.autograd.grad(critic(between).sum(), between)[0]  # loss-disconnected
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


def residual(x):
    x = x.clone().requires_grad_(True)
    (first,) = grad(field(x).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x, create_graph=False)  # loss-disconnected
    return second + torch.pi**2 * torch.sin(torch.pi * x)


def fit(loader, points, ends):
    opt = torch.optim.Adam(critic.parameters(), lr=1e-4)
    for real, fake in loader:
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
        opt.zero_grad()
        loss.backward()
        opt.step()
    other = torch.optim.Adam(field.parameters(), lr=1e-3)
    for _ in range(1000):
        other.zero_grad()
        loss = residual(points).square().mean() + field(ends).square().mean()
        loss.backward()
        other.step()
