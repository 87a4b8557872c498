# Neural potential for a small cluster: energies and forces of five Morse particles in the plane.
# Functional style: parameters are a plain dict, the network is a function of (theta, x).

import torch

torch.manual_seed(17)
torch.set_default_dtype(torch.float64)

N_PART, N_CONF = 5, 900
PAIR_I, PAIR_J = torch.triu_indices(N_PART, N_PART, offset=1)


def pair_distances(x):
    d = x[..., PAIR_I, :] - x[..., PAIR_J, :]
    return d.pow(2).sum(-1).add(1e-12).sqrt()


def morse(x, depth=1.0, a=1.6, r0=1.0):
    r = pair_distances(x)
    return (depth * ((1 - torch.exp(-a * (r - r0))) ** 2 - 1)).sum(-1)


def reference(x):
    x = x.clone().requires_grad_(True)
    e = morse(x)
    f = -torch.autograd.grad(e.sum(), x)[0]
    return e.detach(), f.detach()


def sample_configurations(n):
    """A pentagon of bond length about one, shaken and rotated."""
    ang = torch.arange(N_PART) * (2 * torch.pi / N_PART)
    base = 0.9 * torch.stack([ang.cos(), ang.sin()], dim=-1)
    x = base + 0.11 * torch.randn(n, N_PART, 2)
    th = 2 * torch.pi * torch.rand(n)
    rot = torch.stack([th.cos(), -th.sin(), th.sin(), th.cos()], -1).view(n, 2, 2)
    return x @ rot.transpose(1, 2)


def init_theta(width=48, n_rbf=24):
    def dense(i, o):
        return (torch.randn(i, o) / i ** 0.5).requires_grad_(), torch.zeros(o, requires_grad=True)
    w1, b1 = dense(n_rbf, width)
    w2, b2 = dense(width, width)
    w3, b3 = dense(width, 1)
    return dict(w1=w1, b1=b1, w2=w2, b2=b2, w3=w3, b3=b3)


CENTRES = torch.linspace(0.3, 2.6, 24)


def energy(theta, x):
    r = pair_distances(x).unsqueeze(-1)
    feat = torch.exp(-((r - CENTRES) / 0.15) ** 2)
    h = torch.nn.functional.silu(feat @ theta["w1"] + theta["b1"])
    h = torch.nn.functional.silu(h @ theta["w2"] + theta["b2"])
    return (h @ theta["w3"] + theta["b3"]).sum((-1, -2))


def energy_and_forces(theta, x, differentiable):
    x = x.detach().requires_grad_(True)
    e = energy(theta, x)
    f = torch.autograd.grad(e.sum(), x, create_graph=differentiable)[0]
    return e, f


def report(theta, x, e_ref, f_ref):
    e, f = energy_and_forces(theta, x, differentiable=False)
    e, f = e.detach(), f.detach()
    r2 = lambda p, t: (1 - (p - t).pow(2).sum() / (t - t.mean()).pow(2).sum()).item()
    return r2(e, e_ref), r2(f, f_ref)


X = sample_configurations(N_CONF)
E, F = reference(X)
n_tr = 700
e_shift, e_scale = E[:n_tr].mean(), E[:n_tr].std()
E, F = (E - e_shift) / e_scale, F / e_scale
X_tr, E_tr, F_tr = X[:n_tr], E[:n_tr], F[:n_tr]
X_te, E_te, F_te = X[n_tr:], E[n_tr:], F[n_tr:]
f_var = F_tr.var()

theta = init_theta()
opt = torch.optim.Adam(theta.values(), lr=4e-3)
EPOCHS = 40
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=1e-4)

for epoch in range(1, EPOCHS + 1):
    run_e = run_f = 0.0
    for idx in torch.randperm(n_tr).split(50):
        e, f = energy_and_forces(theta, X_tr[idx], differentiable=True)
        loss_e = (e - E_tr[idx]).pow(2).mean()
        loss_f = (f - F_tr[idx]).pow(2).mean() / f_var
        opt.zero_grad()
        (loss_e + loss_f).backward()
        opt.step()
        run_e += loss_e.item() * len(idx)
        run_f += loss_f.item() * len(idx)
    sched.step()
    if epoch % 5 == 0:
        print(f"{epoch:3d}   energy mse {run_e / n_tr:.4f}   scaled force mse {run_f / n_tr:.4f}")

r2_e, r2_f = report(theta, X_te, E_te, F_te)
print(f"test R2: energies {r2_e:.4f}, forces {r2_f:.4f}")
