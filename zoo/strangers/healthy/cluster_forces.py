"""Interatomic potential for small metal clusters, fitted to energies and forces.

Reference: an embedded-atom energy (pair repulsion minus the root of a density).  Model: radial descriptors per atom,
one network for all atoms, energy is the sum.  Forces are the negative gradient of the energy, in training as in testing.
First Adam on random batches, then L-BFGS on the whole set.
"""
import sys
import time

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 0
ATOMS = 6
W_FORCE = 0.3
CUT = 3.2


def pair_distances(pos):
    d = pos[:, :, None] - pos[:, None]
    eye = torch.eye(pos.shape[1], dtype=torch.bool)
    return (d.square().sum(-1) + eye).sqrt(), ~eye       # the diagonal is kept away from the pole of the root


def smooth(r):
    return torch.where(r < CUT, 0.5 * (1 + torch.cos(np.pi * r / CUT)), torch.zeros_like(r))


def reference(pos):
    r, off = pair_distances(pos)
    rep = (0.6 * torch.exp(-5.0 * (r - 1.0)) * smooth(r) * off).sum((1, 2)) * 0.5
    rho = (torch.exp(-2.4 * (r - 1.0)) * smooth(r) * off).sum(2)
    return rep - 1.6 * (rho + 1e-3).sqrt().sum(1)


def energy_and_forces(fn, pos, train=False):
    pos = pos.detach().requires_grad_(True)
    e = fn(pos)
    (g,) = torch.autograd.grad(e.sum(), pos, create_graph=train)
    return e, -g


def clusters(n, gen):
    """Random starts relaxed for a random number of steps on the reference surface, then shaken"""
    pos = torch.randn(n, ATOMS, 3, generator=gen) * 0.9
    stop = torch.randint(25, 70, (n, 1, 1), generator=gen)
    for k in range(70):
        _, f = energy_and_forces(reference, pos)
        pos = pos + (k < stop) * 0.04 * f.clamp(-3, 3)
    return pos + 0.05 * torch.randn(pos.shape, generator=gen)


class Potential(torch.nn.Module):
    def __init__(self, n_basis=14, width=28):
        super().__init__()
        self.register_buffer("centres", torch.linspace(0.5, 3.0, n_basis))
        self.register_buffer("shift", torch.zeros(n_basis))
        self.register_buffer("scale", torch.ones(n_basis))
        self.register_buffer("e_mean", torch.zeros(()))
        self.register_buffer("e_std", torch.ones(()))
        self.atom = torch.nn.Sequential(
            torch.nn.Linear(n_basis, width), torch.nn.SiLU(),
            torch.nn.Linear(width, width), torch.nn.SiLU(),
            torch.nn.Linear(width, 1),
        )

    def describe(self, pos):
        r, off = pair_distances(pos)
        g = torch.exp(-12.0 * (r[..., None] - self.centres) ** 2) * (smooth(r) * off)[..., None]
        return g.sum(2)

    def calibrate(self, pos, energy):
        with torch.no_grad():
            g = self.describe(pos)
            self.shift.copy_(g.mean((0, 1)))
            self.scale.copy_(g.std((0, 1)))
            self.e_mean.copy_(energy.mean())
            self.e_std.copy_(energy.std())

    def forward(self, pos):
        g = (self.describe(pos) - self.shift) / self.scale
        return self.e_mean + self.e_std * self.atom(g).sum((1, 2))


def misfit(net, pos, e, f):
    pe, pf = energy_and_forces(net, pos, train=True)
    return ((pe - e) / net.e_std).square().mean() + W_FORCE * (pf - f).square().mean()


def errors(net, pos, e, f):
    net.eval()
    pe, pf = energy_and_forces(net, pos)
    return (pe.detach() - e).abs().mean().item(), (pf - f).abs().mean().item()


torch.manual_seed(SEED)
gen = torch.Generator().manual_seed(SEED)
sets = {}
for name, n in (("fit", 700), ("check", 200), ("test", 400)):
    pos = clusters(n, gen)
    e, f = energy_and_forces(reference, pos)
    sets[name] = (pos, e.detach() + 0.003 * torch.randn(n, generator=gen), f)

net = Potential()
net.calibrate(*sets["fit"][:2])
pos, e, f = sets["fit"]

t0 = time.time()
adam = torch.optim.Adam(net.parameters(), lr=4e-3)
decay = torch.optim.lr_scheduler.ExponentialLR(adam, 0.9965)
for it in range(1, 701):
    net.train()
    i = torch.randint(0, len(e), (40,), generator=gen)
    adam.zero_grad()
    loss = misfit(net, pos[i], e[i], f[i])
    loss.backward()
    adam.step()
    decay.step()
    if it % 100 == 0:
        print("adam  %4d  loss %.5f  check: energy %.4f  force %.4f   %.0f s" % (it, loss.item(), *errors(net, *sets["check"]), time.time() - t0))

lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=10, history_size=20, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    value = misfit(net, pos, e, f)
    value.backward()
    return value


for it in range(1, 31):
    net.train()
    value = lbfgs.step(closure)
    print("lbfgs %4d  loss %.5f  check: energy %.4f  force %.4f   %.0f s" % (it, value.item(), *errors(net, *sets["check"]), time.time() - t0))

me, mf = errors(net, *sets["test"])
print(f"test: energy error {me:.4f} (spread {sets['test'][1].std():.3f}), force error {mf:.4f} (spread {sets['test'][2].std():.3f})")
