"""Physics-informed inverse problem: recover damping and stiffness of an oscillator from a few noisy positions.

    u'' + 2 zeta u' + omega^2 u = 0,   u(0) = 1, u'(0) = 0

The constraints at t = 0 are built into the network's output, time is used in units where the window is [0, 6], and
training is Adam followed by full-batch L-BFGS on the very same parameters. Collocation points are fixed.
"""
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(4)

ZETA, OMEGA, T_END = 0.25, 2.0, 6.0


def exact(t):
    wd = (OMEGA ** 2 - ZETA ** 2) ** 0.5
    return torch.exp(-ZETA * t) * (torch.cos(wd * t) + ZETA / wd * torch.sin(wd * t))


class Trajectory(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
                                 nn.Linear(width, 1))
        self.log_zeta = nn.Parameter(torch.tensor(0.0))   # physical constants are trained with the network
        self.log_omega = nn.Parameter(torch.tensor(0.5))

    def forward(self, t):
        return 1.0 + (t / 2) ** 2 * self.net(t * (2 / T_END) - 1.0)  # u(0)=1 and u'(0)=0 by construction

    def residual(self, t):
        t = t.detach().requires_grad_(True)
        u = self(t)
        du, = torch.autograd.grad(u.sum(), t, create_graph=True)
        ddu, = torch.autograd.grad(du.sum(), t, create_graph=True)
        return ddu + 2 * self.log_zeta.exp() * du + (2 * self.log_omega).exp() * u


t_obs = torch.rand(40, 1) * T_END
u_obs = exact(t_obs) + 0.02 * torch.randn(40, 1)
t_col = torch.linspace(0, T_END, 96).unsqueeze(1)
t_test = torch.rand(500, 1, generator=torch.Generator().manual_seed(99)) * T_END

model = Trajectory()


def losses():
    data = (model(t_obs) - u_obs).square().mean()
    physics = model.residual(t_col).square().mean()
    return data, physics


def show(tag, data, physics):
    with torch.no_grad():
        err = (model(t_test) - exact(t_test)).square().mean().sqrt()
    print(f"{tag:>10}  data {data.item():.2e}  physics {physics.item():.2e}  test rmse {err.item():.4f}  "
          f"zeta {model.log_zeta.exp().item():.4f}  omega {model.log_omega.exp().item():.4f}")


adam = torch.optim.Adam([{"params": model.net.parameters(), "lr": 5e-3},
                         {"params": [model.log_zeta, model.log_omega], "lr": 1e-2}])
for step in range(1000):
    data, physics = losses()
    weight = min(1.0, (step + 1) / 400) * 0.05  # physics faded in once the data are roughly met
    adam.zero_grad()
    (data + weight * physics).backward()
    adam.step()
    if step % 200 == 0:
        show(f"adam {step}", data, physics)

lbfgs = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=60, history_size=30, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    data, physics = losses()
    total = data + 0.05 * physics
    total.backward()
    return total


for outer in range(8):
    before = closure().item()
    lbfgs.step(closure)
    data, physics = losses()
    show(f"lbfgs {outer}", data, physics)
    if before - (data + 0.05 * physics).item() < 1e-7:
        break

with torch.no_grad():
    rmse = (model(t_test) - exact(t_test)).square().mean().sqrt().item()
print(f"final: test rmse {rmse:.4f} against the exact solution (observation noise 0.02); "
      f"zeta {model.log_zeta.exp().item():.3f} (true {ZETA}), omega {model.log_omega.exp().item():.3f} (true {OMEGA})")
