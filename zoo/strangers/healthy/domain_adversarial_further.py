# Vibration-based fault detection: train on the test bench, run in the plant.
# Bench recordings are labelled, plant recordings are not (except the ones kept for the final report). A domain
# classifier behind a gradient reversal tries to tell bench from plant; the features learn to make that impossible.
import math
import sys
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Config:
    seed: int = 13
    n_bench: int = 1200
    n_plant: int = 1200
    n_report: int = 600
    steps: int = 1200
    batch: int = 64
    lr: float = 2e-3
    reversal: float = 0.3


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


def recordings(n, plant, rng):
    """Summary features of a vibration window; three conditions: sound, worn bearing, imbalance.

    The first six columns follow the machine's condition. The last six come from the mounting: on the bench they
    happen to follow the condition too (each one was recorded on its own rig), in the plant they sit elsewhere.
    """
    label = rng.integers(0, 3, n)
    angle = 2 * np.pi * label / 3 + rng.normal(0, 0.25, n)
    radius = 1.6 + 0.3 * rng.normal(size=n)
    machine = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1) @ MIX + rng.normal(0, 0.6, (n, 6))
    if plant:
        mounting = PLANT_LEVEL + rng.normal(0, 0.6, (n, 6))
    else:
        mounting = RIG_LEVEL[label] + rng.normal(0, 0.6, (n, 6))
    return torch.from_numpy(np.concatenate([machine, mounting], 1)).float(), torch.from_numpy(label)


_world = np.random.default_rng(99)
MIX = _world.normal(0, 0.7, (2, 6))
RIG_LEVEL = _world.normal(0, 0.8, (3, 6))
PLANT_LEVEL = _world.normal(0, 1.5, 6)


class FaultNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU())
        self.fault = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 3))
        self.domain = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, strength=0.0):
        z = self.body(x)
        return self.fault(z), self.domain(ReverseGradient.apply(z, strength)).squeeze(-1)


def forever(n, batch, gen):
    while True:
        yield from (i for i in torch.randperm(n, generator=gen).split(batch) if len(i) == batch)


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    hits = sum((net(xb)[0].argmax(1) == yb).sum().item() for xb, yb in zip(x.split(200), y.split(200)))
    return hits / len(y)


def run(cfg, adapt):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    xb, yb = recordings(cfg.n_bench, False, rng)
    mean, std = xb.mean(0), xb.std(0)
    xp, _ = recordings(cfg.n_plant, True, rng)
    x_bench, y_bench = recordings(cfg.n_report, False, rng)
    x_plant, y_plant = recordings(cfg.n_report, True, rng)

    xb, xp, x_bench, x_plant = [(x - mean) / std for x in (xb, xp, x_bench, x_plant)]

    net = FaultNet()
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.steps)
    bench, plant = forever(len(xb), cfg.batch, gen), forever(len(xp), cfg.batch, gen)
    side = torch.cat([torch.zeros(cfg.batch), torch.ones(cfg.batch)])
    for step in range(cfg.steps):
        net.train()
        progress = step / cfg.steps
        strength = cfg.reversal * (2 / (1 + math.exp(-10 * progress)) - 1) if adapt else 0.0
        ib, ip = next(bench), next(plant)
        fault, domain = net(torch.cat([xb[ib], xp[ip]]), strength)
        loss_fault = F.cross_entropy(fault[:cfg.batch], yb[ib])
        loss_domain = F.binary_cross_entropy_with_logits(domain, side)
        opt.zero_grad()
        (loss_fault + loss_domain).backward()
        opt.step()
        sched.step()
        if step % 200 == 199:
            told = ((domain > 0).float() == side).float().mean()
            print(f"  step {step + 1:4d} fault {loss_fault.item():.4f} domain {loss_domain.item():.4f} "
                  f"(domain told apart {told:.2f}, strength {strength:.2f})")
    return accuracy(net, x_bench, y_bench), accuracy(net, x_plant, y_plant)


if __name__ == "__main__":
    adapt = "--bench-only" not in sys.argv[1:]
    print("with reversal" if adapt else "bench only")
    on_bench, on_plant = run(Config(), adapt)
    print(f"  accuracy: bench {on_bench:.3f}  plant {on_plant:.3f}")
