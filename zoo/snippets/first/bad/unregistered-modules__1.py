import torch
import torch.nn as nn


class PINN(nn.Module):
    def __init__(self, width=40, depth=4):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.hidden = [nn.Linear(width, width) for _ in range(depth)]
        self.last = nn.Linear(width, 1)

    def forward(self, xt):
        h = torch.tanh(self.first(xt))
        for layer in self.hidden:
            h = torch.tanh(layer(h))
        return self.last(h)


def residual(net, xt, nu=0.01 / torch.pi):
    xt = xt.requires_grad_(True)
    u = net(xt)
    g = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    u_x, u_t = g[:, :1], g[:, 1:]
    u_xx = torch.autograd.grad(u_x.sum(), xt, create_graph=True)[0][:, :1]
    return u_t + u * u_x - nu * u_xx


torch.manual_seed(0)
net = PINN()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(20000):
    inner = torch.rand(2000, 2) * torch.tensor([2.0, 1.0]) - torch.tensor([1.0, 0.0])
    x0 = torch.rand(200, 1) * 2 - 1
    start = torch.cat([x0, torch.zeros_like(x0)], 1)
    t = torch.rand(200, 1)
    side = torch.cat([torch.cat([-torch.ones_like(t), t], 1), torch.cat([torch.ones_like(t), t], 1)])
    loss = residual(net, inner).pow(2).mean() + (net(start) + torch.sin(torch.pi * x0)).pow(2).mean() \
        + net(side).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
