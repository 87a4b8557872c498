# Physics-informed net for the heat equation u_t = k u_xx on [0,1]x[0,1] with unknown k,
# initial and boundary values built into the ansatz, a few noisy sensors, Adam first and L-BFGS afterwards.
import math

import torch
from torch import nn
from torch.autograd import grad

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
TRUE_K = 0.08


def exact(x, t):
    return (torch.exp(-TRUE_K * math.pi ** 2 * t) * torch.sin(math.pi * x)
            + 0.5 * torch.exp(-TRUE_K * 9 * math.pi ** 2 * t) * torch.sin(3 * math.pi * x))


class Field(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
                                 nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.log_k = nn.Parameter(torch.tensor(math.log(0.2)))

    def forward(self, x, t):
        start = torch.sin(math.pi * x) + 0.5 * torch.sin(3 * math.pi * x)
        raw = self.net(torch.cat([2 * x - 1, 2 * t - 1], 1))
        return start + 4 * t * x * (1 - x) * raw

    @property
    def k(self):
        return self.log_k.exp()


def residual(model, x, t):
    x = x.requires_grad_(True)
    t = t.requires_grad_(True)
    u = model(x, t)
    u_x, u_t = grad(u, (x, t), torch.ones_like(u), create_graph=True)
    u_xx, = grad(u_x, x, torch.ones_like(u_x), create_graph=True)
    return (u_t - model.k * u_xx) / math.pi ** 2        # u_xx is of the size of pi^2 u


sensors_x, sensors_t = torch.rand(60, 1), torch.rand(60, 1)
sensors_u = exact(sensors_x, sensors_t) + 0.01 * torch.randn(60, 1)
grid = torch.linspace(0, 1, 41)
gx, gt = [g.reshape(-1, 1) for g in torch.meshgrid(grid, grid, indexing="ij")]
gu = exact(gx, gt)

model = Field()


def losses(cx, ct):
    physics = residual(model, cx, ct).pow(2).mean()
    data = (model(sensors_x, sensors_t) - sensors_u).pow(2).mean()
    return physics, data


def relative_error():
    with torch.no_grad():
        return ((model(gx, gt) - gu).norm() / gu.norm()).item()


print(f"before training: relative error {relative_error():.4f}, k {model.k.item():.4f}")
adam = torch.optim.Adam([{"params": model.net.parameters()}, {"params": [model.log_k], "lr": 1e-2}], lr=3e-3)
decay = torch.optim.lr_scheduler.ExponentialLR(adam, 0.999)
for step in range(1, 901):
    adam.zero_grad()
    physics, data = losses(torch.rand(200, 1), torch.rand(200, 1))
    (physics + data).backward()
    adam.step()
    decay.step()
    if step % 150 == 0:
        print(f"adam {step:4d}: physics {physics.item():.2e} data {data.item():.2e} "
              f"relative error {relative_error():.4f} k {model.k.item():.4f}")

fixed_x, fixed_t = torch.rand(500, 1), torch.rand(500, 1)
lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=20, history_size=30, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    physics, data = losses(fixed_x.clone(), fixed_t.clone())
    total = physics + data
    total.backward()
    return total


for outer in range(1, 13):
    value = lbfgs.step(closure)
    if outer % 3 == 0:
        print(f"lbfgs {outer:2d}: loss {value.item():.2e} relative error {relative_error():.4f} k {model.k.item():.4f}")

print(f"done: relative error on the grid {relative_error():.4f}, k {model.k.item():.4f} (true {TRUE_K})")
