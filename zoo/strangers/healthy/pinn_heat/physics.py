import math
import torch

NU = 0.08


def exact(x, t):
    """u_t = NU u_xx on [0,1], u(0)=u(1)=0, u(x,0)=sin(pi x)+0.5 sin(3 pi x)."""
    a = torch.exp(-NU * math.pi ** 2 * t) * torch.sin(math.pi * x)
    b = 0.5 * torch.exp(-NU * 9 * math.pi ** 2 * t) * torch.sin(3 * math.pi * x)
    return a + b


def residual(net, xt):
    xt = xt.requires_grad_(True)
    u = net(xt)
    du, = torch.autograd.grad(u.sum(), xt, create_graph=True)
    u_x, u_t = du[:, :1], du[:, 1:]
    d2, = torch.autograd.grad(u_x.sum(), xt, create_graph=True)
    return u_t - NU * d2[:, :1]


def collocation(n, gen):
    return torch.rand(n, 2, generator=gen)


def initial_points(n):
    x = torch.linspace(0, 1, n).unsqueeze(1)
    xt = torch.cat([x, torch.zeros_like(x)], 1)
    return xt, exact(x, torch.zeros_like(x))


def wall_points(n):
    t = torch.linspace(0, 1, n).unsqueeze(1)
    return torch.cat([torch.cat([torch.zeros_like(t), t], 1), torch.cat([torch.ones_like(t), t], 1)])
