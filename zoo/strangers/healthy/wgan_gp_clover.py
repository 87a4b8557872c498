import numpy as np, torch, torch.nn as nn
from torch.autograd import grad
from sklearn.neighbors import NearestNeighbors

torch.manual_seed(0); rng = np.random.RandomState(0)

BINS = 24
NZ = 8
LAMBDA = 1.0
N_CRITIC = 4
ITERS = 900
B = 128

def draw(n):
    a = rng.uniform(-np.pi, np.pi, n)
    r = 1 + 0.25 * np.cos(3 * a) + 0.12 * rng.randn(n)
    return torch.tensor(np.stack([r * np.cos(a), r * np.sin(a)], 1), dtype=torch.float32)

held = draw(1000)
held2 = draw(1000)

def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))

G, D = mlp(NZ, 2), mlp(2, 1)
G_avg = mlp(NZ, 2); G_avg.load_state_dict(G.state_dict())
for p in G_avg.parameters(): p.requires_grad_(False)
og = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
od = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))

def penalty(xr, xf):
    a = torch.rand(len(xr), 1)
    xi = (a * xr + (1 - a) * xf).requires_grad_(True)
    g, = grad(D(xi).sum(), xi, create_graph=True)
    return ((g.norm(dim=1) - 1) ** 2).mean()

def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()

def coverage(x):
    a = torch.atan2(x[:, 1], x[:, 0])
    ok = (x.norm(dim=1) - 1 - 0.25 * torch.cos(3 * a)).abs() < 0.36
    counts = torch.histc(a[ok], BINS, -np.pi, np.pi)
    return int((counts > len(x) / BINS / 3).sum()), ok.float().mean().item()

for it in range(ITERS):
    for _ in range(N_CRITIC):
        real = draw(B)
        with torch.no_grad():
            fake = G(torch.randn(B, NZ))
        w = D(real).mean() - D(fake).mean()
        d_loss = -w + LAMBDA * penalty(real, fake)
        od.zero_grad(); d_loss.backward(); od.step()

    for p in D.parameters(): p.requires_grad_(False)
    g_loss = -D(G(torch.randn(B, NZ))).mean()
    og.zero_grad(); g_loss.backward(); og.step()
    for p in D.parameters(): p.requires_grad_(True)

    with torch.no_grad():
        for pa, p in zip(G_avg.parameters(), G.parameters()):
            pa.lerp_(p, 0.01)

    if it == ITERS * 2 // 3:
        for o in (og, od):
            for grp in o.param_groups: grp["lr"] *= 0.3

    if (it + 1) % 150 == 0:
        with torch.no_grad():
            s = G_avg(torch.randn(1000, NZ))
        m, q = coverage(s)
        print(f"it {it+1:5d} W={w.item():+.4f} D={d_loss.item():+.4f} G={g_loss.item():+.4f} | sectors {m}/{BINS} on-curve {q:.2f} ED {energy_distance(s, held):.4f}")

with torch.no_grad():
    s = G_avg(torch.randn(1000, NZ))
nn_dist = NearestNeighbors(n_neighbors=1).fit(s.numpy()).kneighbors(held.numpy())[0].mean()
print("energy distance: generated vs held-out %.4f, two real samples %.4f" % (energy_distance(s, held), energy_distance(held, held2)))
print("mean distance of held-out point to nearest generated: %.4f" % nn_dist)
