"""Glucose forecast, 30 minutes ahead, from CGM, insulin and meals.

Virtual patients follow a minimal model (glucose, remote insulin action, gut, subcutaneous depot), integrated with one-minute steps
and sampled every five.  History: two hours; intake is announced, so carbohydrates and units are given up to the forecast time.  Patients of the test group appear nowhere else.
"""
import math
import random
import sys

import numpy as np
import torch
from torch import nn

settings = dict(
    patients=dict(train=40, val=10, test=16),
    days=4,
    history=24,
    horizon=6,
    batch=64,
    steps=1500,
    warmup=50,
    lr=1.5e-3,
    clip=1.0,
    units=28,
    print_every=50,
)


def patient(days, rng):
    p1, p2, p3 = 0.012 * rng.lognormal(0, 0.2), 0.025 * rng.lognormal(0, 0.2), 1.6e-5 * rng.lognormal(0, 0.35)
    k_gut, k_dep, gb = 0.03 * rng.lognormal(0, 0.2), 0.018 * rng.lognormal(0, 0.2), rng.normal(135, 15)
    ratio = rng.normal(11, 2)
    g, x, gut, dep, ins = gb, 0.0, 0.0, 0.0, 0.0
    meals = {}
    for d in range(days):
        for hour, size in ((7, 45), (12.5, 65), (19, 75)):
            meals[int(d * 1440 + hour * 60 + rng.normal(0, 40))] = max(10.0, rng.normal(size, 18))
        if rng.random() < 0.6:
            meals[int(d * 1440 + rng.uniform(14, 23) * 60)] = rng.uniform(10, 30)
    bolus = {m + int(rng.integers(-15, 20)): c / ratio * rng.uniform(0.5, 1.1) for m, c in meals.items()}
    rows, carb, units, drift = [], 0.0, 0.0, 0.0
    for t in range(days * 1440):
        carb += meals.get(t, 0.0)
        units += bolus.get(t, 0.0)
        gut += meals.get(t, 0.0)
        dep += bolus.get(t, 0.0)
        ins += k_dep * dep - 0.02 * ins
        dep -= k_dep * dep
        ra = k_gut * gut
        gut -= ra
        x += -p2 * x + p3 * ins * 30.0
        g += -p1 * (g - gb) - x * g + 3.6 * ra
        g = min(max(g, 40.0), 400.0)
        if t % 5 == 4:
            drift = 0.9 * drift + rng.normal(0, 1.2)
            clock = 2 * math.pi * t / 1440
            rows.append([g + drift, carb, units, math.sin(clock), math.cos(clock)])
            carb = units = 0.0
    return np.asarray(rows, dtype=np.float32)


def windows(n, s, rng):
    xs, ys = [], []
    for _ in range(n):
        z = patient(s["days"], rng)
        for k in range(s["history"], len(z) - s["horizon"], 3):
            w = z[k - s["history"]:k].copy()
            w[:, 1:3] = z[k - s["history"] + s["horizon"]:k + s["horizon"], 1:3]
            xs.append(w)
            ys.append(z[k - 1 + s["horizon"], 0] - z[k - 1, 0])
    return np.stack(xs), np.asarray(ys, dtype=np.float32)


class Forecaster(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.rnn = nn.GRU(5, units, num_layers=2, batch_first=True)
        self.head = nn.Sequential(nn.Linear(units, units), nn.SiLU(), nn.Linear(units, 1))

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.head(h[:, -1]).squeeze(-1)


def draw(x, y, size, rng, passes=1):
    """Shuffled minibatches"""
    for _ in range(passes):
        order = rng.permutation(len(x))
        for i in range(0, len(order) - size + 1, size):
            pick = torch.from_numpy(order[i:i + size])
            yield x[pick], y[pick]


@torch.no_grad()
def rmse(net, x, y, unit):
    net.eval()
    se = sum((net(a) - b).square().sum().item() for a, b in zip(x.split(512), y.split(512)))
    return math.sqrt(se / len(y)) * unit


def main(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    s = settings
    raw = {k: windows(n, s, rng) for k, n in s["patients"].items()}
    mu, sd, unit = raw["train"][0].mean((0, 1)), raw["train"][0].std((0, 1)), float(raw["train"][1].std())
    sets = {k: (torch.from_numpy((x - mu) / sd), torch.from_numpy(y / unit)) for k, (x, y) in raw.items()}
    print({k: len(v[1]) for k, v in sets.items()}, f"spread of the 30 min change {unit:.1f} mg/dl")

    net = Forecaster(s["units"])
    opt = torch.optim.Adam(net.parameters(), lr=s["lr"])
    shape = lambda k: min(1.0, (k + 1) / s["warmup"]) * 0.5 * (1 + math.cos(math.pi * min(1.0, k / s["steps"])))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, shape)

    recent = []
    for step, (x, y) in zip(range(1, s["steps"] + 1), draw(*sets["train"], s["batch"], rng)):
        net.train()
        loss = nn.functional.smooth_l1_loss(net(x), y, beta=0.5)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), s["clip"])
        opt.step()
        sched.step()
        recent.append(loss.item())
        if step % s["print_every"] == 0:
            print(f"{step:5d}  loss {np.mean(recent[-s['print_every']:]):.4f}  val rmse {rmse(net, *sets['val'], unit):.2f} mg/dl")
    x, y = sets["test"]
    print(f"test rmse {rmse(net, x, y, unit):.3f} mg/dl, no-change forecast {y.square().mean().sqrt().item() * unit:.3f} mg/dl")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
