import time, copy, torch
from torch import nn
from sklearn.datasets import make_moons

torch.manual_seed(2)

def moons(n, seed):
    x, _ = make_moons(n, noise=0.06, random_state=seed)
    return torch.tensor(x, dtype=torch.float32)

train, held = moons(8000, 0), moons(1500, 1)
shift, scale = train.mean(0), train.std(0)
train, held = (train - shift) / scale, (held - shift) / scale


class Velocity(nn.Module):
    def __init__(self, width=96, freqs=6):
        super().__init__()
        self.register_buffer("w", 2.0 ** torch.arange(freqs) * torch.pi / 2)
        self.f = nn.Sequential(nn.Linear(2 + 2 * freqs, width), nn.SiLU(),
                               nn.Linear(width, width), nn.SiLU(),
                               nn.Linear(width, width), nn.SiLU(),
                               nn.Linear(width, 2))

    def forward(self, x, t):
        ph = t[:, None] * self.w
        return self.f(torch.cat([x, ph.sin(), ph.cos()], 1))


@torch.no_grad()
def integrate(v, z, n):
    x, h = z.clone(), 1.0 / n
    for k in range(n):
        t = torch.full((len(x),), k * h)
        k1 = v(x, t)
        if n > 1:
            k2 = v(x + h * k1, (t + h).clamp(max=1))
            x = x + h * 0.5 * (k1 + k2)
        else:
            x = x + h * k1
    return x


def energy_distance(a, b):
    def off_diag(m):
        n = len(m)
        return m.sum() / (n * (n - 1))
    return (2 * torch.cdist(a, b).mean() - off_diag(torch.cdist(a, a)) - off_diag(torch.cdist(b, b))).item()


def train_flow(pairs, steps, lr, tag, init=None):
    v = Velocity()
    if init is not None:
        v.load_state_dict(init)
    ema = copy.deepcopy(v).requires_grad_(False)
    opt = torch.optim.Adam(v.parameters(), lr=lr)
    sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 100) * max(0.02, 1 - s / steps))
    run, t0 = None, time.perf_counter()
    for s in range(steps):
        x0, x1 = pairs(256)
        t = torch.rand(len(x0))
        xt = (1 - t[:, None]) * x0 + t[:, None] * x1
        loss = (v(xt, t) - (x1 - x0)).square().sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step(); sch.step()
        with torch.no_grad():
            decay = min(0.998, (s + 1) / (s + 10))
            for a, b in zip(ema.parameters(), v.parameters()):
                a.lerp_(b, 1 - decay)
        run = loss.item() if run is None else 0.99 * run + 0.01 * loss.item()
        if (s + 1) % (steps // 6) == 0:
            print(f"  {tag} {s+1:>5}/{steps}  flow-matching loss {run:.4f}  ({time.perf_counter()-t0:.1f}s)")
    return ema


def report(v, label):
    g = torch.Generator().manual_seed(99)
    z = torch.randn(1500, 2, generator=g)
    for n in (1, 4, 40):
        print(f"  {label}: {n:>2} steps -> energy distance to held-out moons {energy_distance(integrate(v, z, n), held):+.4f}")


print("independent coupling")
draw = lambda n: (torch.randn(n, 2), train[torch.randint(len(train), (n,))])
flow1 = train_flow(draw, 2400, 2e-3, "1-rectified")
report(flow1, "1-rectified")

print("reflow")
z0 = torch.randn(16000, 2)
z1 = integrate(flow1, z0, 40)
def coupled(n):
    i = torch.randint(len(z0), (n,))
    return z0[i], z1[i]
flow2 = train_flow(coupled, 2400, 1e-3, "2-rectified", init=flow1.state_dict())
report(flow2, "2-rectified")

base = energy_distance(torch.randn(1500, 2), held)
floor = energy_distance(train[:1500], held)
print(f"reference: gaussian {base:.4f}, real train sample {floor:+.4f}")
