"""Damped oscillator u'' + 2 d u' + w^2 u = 0, u(0)=1, u'(0)=0, hard initial conditions, double precision."""
import math
import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
d, w = 0.3, 2.0

net = torch.nn.Sequential(
    torch.nn.Linear(1, 32), torch.nn.Tanh(),
    torch.nn.Linear(32, 32), torch.nn.Tanh(),
    torch.nn.Linear(32, 1),
)


def u(t):
    return 1 + t ** 2 * net(t - 1.5)


def residual(t):
    t = t.requires_grad_()
    y = u(t)
    dy, = torch.autograd.grad(y.sum(), t, create_graph=True)
    ddy, = torch.autograd.grad(dy.sum(), t, create_graph=True)
    return ddy + 2 * d * dy + w ** 2 * y


opt = torch.optim.Adam(net.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1500, eta_min=1e-5)
for step in range(1500):
    loss = residual(torch.rand(128, 1) * 3).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 150 == 0 or step == 1499:
        print(f"{step:5d} residual {loss.item():.3e}")

t = torch.linspace(0, 3, 301).unsqueeze(1)
wd = math.sqrt(w * w - d * d)
exact = torch.exp(-d * t) * (torch.cos(wd * t) + d / wd * torch.sin(wd * t))
with torch.no_grad():
    rel = ((u(t) - exact).norm() / exact.norm()).item()
print(f"relative L2 error against the exact solution {rel:.2e}")
