"""Hamiltonian neural network against a plain vector-field MLP on a frictionless pendulum."""
import numpy as np
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
G_OVER_L = 3.0


def field(s):
    q, p = s[..., 0], s[..., 1]
    return np.stack([p, -G_OVER_L * np.sin(q)], -1)


def energy(s):
    return 0.5 * s[..., 1] ** 2 + G_OVER_L * (1 - np.cos(s[..., 0]))


def rk4(f, s, h, n):
    traj = [s]
    for _ in range(n):
        k1 = f(s); k2 = f(s + h / 2 * k1); k3 = f(s + h / 2 * k2); k4 = f(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        traj.append(s)
    return np.stack(traj)


def start_states(n, rng):
    out = []
    while len(out) < n:
        s = np.array([rng.uniform(-2.2, 2.2), rng.uniform(-2.5, 2.5)])
        if 0.3 < energy(s) < 4.5:
            out.append(s)
    return np.array(out)


def dataset(n_traj, rng, noise):
    tr = rk4(field, start_states(n_traj, rng), 0.1, 30)     # [31, n, 2]
    x = tr.reshape(-1, 2)
    d = field(x) + noise * rng.standard_normal(x.shape)
    return torch.tensor(x), torch.tensor(d)


class HNN(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.H = nn.Sequential(nn.Linear(2, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))

    def forward(self, x):
        with torch.enable_grad():
            x = x if x.requires_grad else x.detach().requires_grad_(True)
            (g,) = torch.autograd.grad(self.H(x).sum(), x, create_graph=self.training)
        return torch.stack([g[:, 1], -g[:, 0]], 1)


class Baseline(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 2))

    def forward(self, x):
        return self.net(x)


def fit(model, data, val, steps=2500):
    x, d = data
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    for it in range(1, steps + 1):
        model.train()
        b = torch.randint(len(x), (128,))
        loss = (model(x[b]) - d[b]).square().mean()
        opt.zero_grad(); loss.backward(); opt.step(); sch.step()
        if it % 500 == 0:
            model.eval()
            with torch.no_grad():
                v = (model(val[0]) - val[1]).square().mean().item()
            print(f"    {type(model).__name__:9s} it {it:4d} | batch mse {loss.item():.2e} | clean val mse {v:.2e}")
    return model.eval()


def rollout_report(model, rng):
    s0 = start_states(16, rng)
    truth = rk4(field, s0, 0.05, 400)

    def learned(s):
        with torch.no_grad():
            return model(torch.tensor(s)).numpy()
    pred = rk4(learned, s0, 0.05, 400)
    drift = np.abs(energy(pred) - energy(truth[0])).mean(1)
    err = np.linalg.norm(pred - truth, axis=-1).mean(1)
    return drift[-1], err[100], err[-1]


def main():
    rng = np.random.default_rng(6)
    torch.manual_seed(6)
    train = dataset(40, rng, noise=0.05)
    val = dataset(15, rng, noise=0.0)
    seeds = 1234
    rows = []
    for cls in (Baseline, HNN):
        print("fitting", cls.__name__)
        m = fit(cls(), train, val)
        rows.append((cls.__name__, *rollout_report(m, np.random.default_rng(seeds))))
    print("\nmodel      |dE| at t=20   state err t=5   state err t=20")
    for n, a, b, c in rows:
        print(f"{n:9s}  {a:12.4f}  {b:14.4f}  {c:15.4f}")


if __name__ == "__main__":
    main()
