import torch
from torch import nn


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


gen = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
disc = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=2e-4)
opt_d = torch.optim.Adam(disc.parameters(), lr=2e-4)
for real in loader:
    set_requires_grad(disc, True)
    fake = gen(torch.randn(len(real), 8))
    loss_d = nn.functional.softplus(-disc(real)).mean() + nn.functional.softplus(disc(fake.detach())).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    set_requires_grad(disc, False)
    loss_g = nn.functional.softplus(-disc(fake)).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
