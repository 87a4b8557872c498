"""Fit an energy model of small atom clusters from energies and forces.

Forces are minus the gradient of the predicted energy with respect to the positions, during training and when
the model is tested, so the positions always require a gradient.
"""
import argparse

import numpy as np
import torch
from torch import nn


def reference(pos):
    """Morse-like pair potential plus a soft cage; returns energy and force (autograd on the formula)."""
    pos = pos.clone().requires_grad_(True)
    i, j = torch.triu_indices(pos.shape[1], pos.shape[1], offset=1)
    r = (pos[:, i] - pos[:, j]).norm(dim=-1)
    well = (1 - torch.exp(-1.5 * (r - 1.2))) ** 2 - 1
    cage = 0.05 * pos.square().sum(-1).sum(-1)
    energy = well.sum(-1) + cage
    force = -torch.autograd.grad(energy.sum(), pos)[0]
    return energy.detach(), force.detach()


def sample_clusters(n, atoms, gen):
    corners = torch.tensor([[x, y, z] for x in (0., 1.) for y in (0., 1.) for z in (0., 1.)])[:atoms]
    base = 1.25 * (corners - corners.mean(0))
    pos = base + 0.18 * torch.randn(n, atoms, 3, generator=gen)
    return pos, *reference(pos)


class RadialEnergy(nn.Module):
    """Sum of pair terms on a radial basis and of one-body terms on the distance to the centre."""

    def __init__(self, n_basis=20, hidden=32):
        super().__init__()
        self.register_buffer("centres", torch.linspace(0.1, 3.4, n_basis))
        self.register_buffer("gamma", torch.tensor(12.0))
        self.pair = nn.Sequential(nn.Linear(n_basis, hidden), nn.SiLU(), nn.Linear(hidden, 1))
        self.single = nn.Sequential(nn.Linear(1, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, pos):
        i, j = torch.triu_indices(pos.shape[1], pos.shape[1], offset=1)
        r = (pos[:, i] - pos[:, j]).norm(dim=-1)
        basis = torch.exp(-self.gamma * (r.unsqueeze(-1) - self.centres) ** 2)
        e_pair = self.pair(basis).squeeze(-1).sum(-1)
        e_one = self.single(pos.square().sum(-1, keepdim=True)).squeeze(-1).sum(-1)
        return e_pair + e_one


def energy_and_force(model, pos, training):
    pos = pos.detach().requires_grad_(True)
    energy = model(pos)
    (grad,) = torch.autograd.grad(energy.sum(), pos, create_graph=training)
    return energy, -grad


def test(model, pos, energy, force, shift, scale, chunk=200):
    model.eval()
    e_err, f_err = [], []
    for p, e, f in zip(pos.split(chunk), energy.split(chunk), force.split(chunk)):
        e_hat, f_hat = energy_and_force(model, p, training=False)
        e_err.append((e_hat.detach() * scale + shift - e).abs())
        f_err.append((f_hat.detach() * scale - f).abs().flatten())
    return torch.cat(e_err).mean().item(), torch.cat(f_err).mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--force-weight", type=float, default=1.0)
    opt = parser.parse_args()

    torch.manual_seed(4)
    np.random.seed(4)
    gen = torch.Generator().manual_seed(40)
    train = sample_clusters(600, 6, gen)
    valid = sample_clusters(200, 6, gen)
    held = sample_clusters(400, 6, gen)
    shift, scale = train[1].mean(), train[1].std()
    print(f"energy {shift:.2f} +- {scale:.2f}, mean |force| {train[2].abs().mean():.3f}")

    model = RadialEnergy()
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
    steps = opt.epochs * (len(train[0]) // opt.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, opt.lr, total_steps=steps)
    for epoch in range(opt.epochs):
        model.train()
        sums = torch.zeros(2)
        order = torch.randperm(len(train[0]))
        for idx in order.split(opt.batch):
            pos, energy, force = (t[idx] for t in train)
            e_hat, f_hat = energy_and_force(model, pos, training=True)
            loss_e = (e_hat - (energy - shift) / scale).square().mean()
            loss_f = (f_hat - force / scale).square().mean()
            optimizer.zero_grad()
            (loss_e + opt.force_weight * loss_f).backward()
            optimizer.step()
            schedule.step()
            sums += torch.stack([loss_e, loss_f]).detach()
        if epoch % 5 == 4:
            e, f = test(model, *valid, shift, scale)
            n = len(order) // opt.batch
            print(f"epoch {epoch + 1:3d}  E {sums[0] / n:.5f}  F {sums[1] / n:.5f}  valid MAE E {e:.4f} F {f:.4f}")

    e, f = test(model, *held, shift, scale)
    base_e, base_f = (held[1] - shift).abs().mean(), held[2].abs().mean()
    print(f"held-out MAE: energy {e:.4f} (mean predictor {base_e:.4f}), force {f:.4f} (zero force {base_f:.4f})")


if __name__ == "__main__":
    main()
