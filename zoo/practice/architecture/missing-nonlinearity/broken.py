import torch
import torch.nn as nn


def make_net(sizes, act=nn.Tanh):
    mods = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        mods.append(nn.Linear(a, b))
        if i > len(sizes) - 2:
            mods.append(act())
    return nn.Sequential(*mods)


def truth(t):
    return torch.exp(-0.5 * t) * torch.cos(3 * t)


torch.manual_seed(0)
net = make_net([1, 32, 32, 1])
t_obs = torch.linspace(0, 2, 24)[:, None]
y_obs = truth(t_obs)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for it in range(900):
    t = (2 * torch.rand(48, 1)).requires_grad_()
    y = net(t)
    dy = torch.autograd.grad(y.sum(), t, create_graph=True)[0]
    ddy = torch.autograd.grad(dy.sum(), t, create_graph=True, allow_unused=True)[0]
    ddy = torch.zeros_like(dy) if ddy is None else ddy
    residual = ddy + dy + 9.25 * y
    loss = (net(t_obs) - y_obs).pow(2).mean() + 1e-3 * residual.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 150 == 0:
        print(f"it {it} loss {loss.item():.5f}")
with torch.no_grad():
    print(f"max deviation {(net(t_obs) - y_obs).abs().max().item():.4f}")
