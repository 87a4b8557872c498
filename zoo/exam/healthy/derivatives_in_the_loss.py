"""Solve u'' = -pi^2 sin(pi x), u(-1)=u(1)=0 with a small network."""

import torch
from torch import nn
from torch.autograd import grad

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
xs = torch.linspace(-1, 1, 64).reshape(-1, 1)
bc = torch.tensor([[-1.0], [1.0]])
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def residual(x):
    x = x.clone().requires_grad_(True)
    u = net(x)
    (du,) = grad(u.sum(), x, create_graph=True)
    (ddu,) = grad(du.sum(), x, create_graph=True)
    return ddu + torch.pi**2 * torch.sin(torch.pi * x)


for it in range(600):
    opt.zero_grad()
    loss = residual(xs).square().mean() + 10 * net(bc).square().mean()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(it, loss.item())
with torch.no_grad():
    print("max error", (net(xs) - torch.sin(torch.pi * xs)).abs().max().item())
