"""Hamiltonian neural network for a pendulum.

The network gives a scalar H(q, p); its symplectic gradient is the predicted velocity field. The check
is a long Runge-Kutta roll-out: energy has to stay where it was.
"""
import numpy as np
import torch
from torch import nn


class Hamiltonian(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(3, width), nn.Softplus(),
            nn.Linear(width, width), nn.Softplus(),
            nn.Linear(width, 1, bias=False),
        )

    def forward(self, state):
        q, p = state[:, :1], state[:, 1:]
        return self.body(torch.cat([q.sin(), q.cos(), p / 2], dim=1)).squeeze(1)

    def field(self, state):
        """(dq/dt, dp/dt); needs gradients with respect to the state whatever the caller's mode is."""
        with torch.enable_grad():
            s = state if state.requires_grad else state.detach().requires_grad_()
            dH, = torch.autograd.grad(self(s).sum(), s, create_graph=self.training)
        return torch.stack([dH[:, 1], -dH[:, 0]], dim=1)


def true_field(s):
    return torch.stack([s[:, 1], -torch.sin(s[:, 0])], dim=1)


def true_energy(s):
    return 0.5 * s[:, 1] ** 2 - torch.cos(s[:, 0])


def rk4(f, s, dt):
    k1 = f(s)
    k2 = f(s + 0.5 * dt * k1)
    k3 = f(s + 0.5 * dt * k2)
    k4 = f(s + dt * k3)
    return s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def make_set(n, rng, noise):
    q = rng.uniform(-2.6, 2.6, n)
    p = rng.uniform(-1.8, 1.8, n)
    s = torch.tensor(np.stack([q, p], 1), dtype=torch.float32)
    v = true_field(s)
    return s, v + noise * torch.tensor(rng.normal(size=(n, 2)), dtype=torch.float32)


class HandAdam:
    """Adam, written out: fewer surprises than remembering the options."""

    def __init__(self, params, lr):
        self.params = list(params)
        self.lr, self.t = lr, 0
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def update(self, grads, scale=1.0):
        self.t += 1
        for p, g, m, v in zip(self.params, grads, self.m, self.v):
            m.mul_(0.9).add_(g, alpha=0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            mh = m / (1 - 0.9 ** self.t)
            vh = v / (1 - 0.999 ** self.t)
            p.sub_(self.lr * scale * mh / (vh.sqrt() + 1e-8))


def main():
    torch.manual_seed(6)
    rng = np.random.default_rng(6)
    s_train, v_train = make_set(1600, rng, noise=0.02)
    s_test, v_test = make_set(400, rng, noise=0.0)
    net = Hamiltonian()
    solver = HandAdam(net.parameters(), lr=4e-3)
    epochs = 30

    for epoch in range(epochs):
        net.train()
        cool = 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        total = 0.0
        for idx in torch.randperm(len(s_train)).split(64):
            loss = (net.field(s_train[idx]) - v_train[idx]).pow(2).mean()
            grads = torch.autograd.grad(loss, solver.params)
            solver.update(grads, scale=cool)
            total += loss.item() * len(idx)
        if (epoch + 1) % 5 == 0:
            net.eval()
            err = (net.field(s_test) - v_test).pow(2).mean().item()
            print(f"epoch {epoch + 1:2d}  train {total / len(s_train):.5f}  clean test {err:.6f}")

    net.eval()
    start = torch.tensor([[2.0, 0.0], [1.0, 0.5], [0.4, -1.2]])
    s, e0 = start, true_energy(start)
    for _ in range(400):
        s = rk4(net.field, s, 0.1)
    drift = (true_energy(s) - e0).abs().max().item()
    r2 = 1 - (net.field(s_test) - v_test).pow(2).sum() / (v_test - v_test.mean(0)).pow(2).sum()
    print(f"vector field R2 on unseen states {r2.item():.5f}, energy drift after 40 time units {drift:.4f}")


if __name__ == "__main__":
    main()
