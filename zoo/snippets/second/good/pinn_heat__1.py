import torch
import torch.nn as nn

torch.manual_seed(1234)


class PINN(nn.Module):
    def __init__(self, width=64, depth=4):
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        layers.append(nn.Linear(width, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))


def residual(u_net, x, t, k=0.1):
    x.requires_grad_(True)
    t.requires_grad_(True)
    u = u_net(x, t)
    ones = torch.ones_like(u)
    u_t = torch.autograd.grad(u, t, ones, create_graph=True)[0]
    u_x = torch.autograd.grad(u, x, ones, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0]
    return u_t - k * u_xx


net = PINN()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(20000):
    x, t = torch.rand(512, 1), torch.rand(512, 1)
    x0 = torch.rand(128, 1)
    tb = torch.rand(128, 1)
    loss_pde = residual(net, x, t).pow(2).mean()
    loss_ic = (net(x0, torch.zeros_like(x0)) - torch.sin(torch.pi * x0)).pow(2).mean()
    loss_bc = net(torch.zeros_like(tb), tb).pow(2).mean() + net(torch.ones_like(tb), tb).pow(2).mean()
    loss = loss_pde + 10 * loss_ic + 10 * loss_bc
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 1000 == 0:
        print(it, loss.item())
