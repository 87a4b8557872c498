import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def d(u, t):
    return torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]


# damped oscillator u'' + 2 z u' + u = 0, u(0) = 1, u'(0) = 0
z = 0.2
t0 = torch.zeros(1, 1, requires_grad=True)
for it in range(20_000):
    t = (10 * torch.rand(256, 1)).requires_grad_(True)
    u = net(t)
    ut = d(u, t)
    utt = d(ut, t)
    u0 = net(t0)
    loss = (utt + 2 * z * ut + u).pow(2).mean() + 10 * ((u0 - 1).pow(2).mean() + d(u0, t0).pow(2).mean())
    opt.zero_grad()
    loss.backward()
    opt.step()
