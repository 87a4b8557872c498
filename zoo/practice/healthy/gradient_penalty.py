import torch
import torch.nn as nn

torch.manual_seed(13)
net = nn.Sequential(nn.Linear(2, 64), nn.Softplus(beta=5), nn.Linear(64, 64), nn.Softplus(beta=5), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)


def circle(n):
    a = 6.2832 * torch.rand(n, 1)
    return torch.cat([a.cos(), a.sin()], 1)


for step in range(500):
    surface = circle(64)
    space = (torch.rand(64, 2) * 4 - 2).requires_grad_(True)
    slope = torch.autograd.grad(net(space).sum(), space, create_graph=True, retain_graph=True)[0].norm(dim=1)
    fit = net(surface).abs().mean()
    eikonal = (slope - 1).pow(2).mean()
    sign = torch.relu(-net(torch.tensor([[2.0, 2.0], [-2.0, 2.0]]))).mean()
    loss = fit + 0.5 * eikonal + sign
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print(f"{step + 1} fit {fit.item():.4f} eikonal {eikonal.item():.4f}")
p = circle(300).requires_grad_(True)
g = torch.autograd.grad(net(p).sum(), p)[0].norm(dim=1)
print(f"worst slope {(g - 1).abs().mean().item():.3f}")
