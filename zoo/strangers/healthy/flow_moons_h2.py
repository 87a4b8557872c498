"""RealNVP on two moons.  Coupling nets end in a zero layer, so the flow starts as the identity."""
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_moons
from torch.distributions import Independent, Normal
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    seed: int = 7
    n_train: int = 8000
    n_val: int = 2000
    n_test: int = 2000
    layers: int = 8
    hidden: int = 48
    batch: int = 250
    epochs: int = 36
    lr: float = 2e-3


class Coupling(nn.Module):
    def __init__(self, keep, hidden):
        super().__init__()
        self.register_buffer("keep", torch.tensor(keep, dtype=torch.float32))
        self.net = nn.Sequential(nn.Linear(2, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 4))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def _st(self, x):
        s, t = self.net(x * self.keep).chunk(2, dim=1)
        free = 1 - self.keep
        return 2 * torch.tanh(s / 2) * free, t * free

    def forward(self, x):
        s, t = self._st(x)
        return x * s.exp() + t, s.sum(1)

    def inverse(self, z):
        s, t = self._st(z)
        return (z - t) * (-s).exp()


class Flow(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.steps = nn.ModuleList(Coupling([i % 2, (i + 1) % 2], cfg.hidden) for i in range(cfg.layers))
        self.register_buffer("loc", torch.zeros(2))
        self.register_buffer("scale", torch.ones(2))

    @property
    def base(self):
        return Independent(Normal(self.loc, self.scale), 1)

    def log_prob(self, x):
        logdet = x.new_zeros(len(x))
        for step in self.steps:
            x, d = step(x)
            logdet = logdet + d
        return self.base.log_prob(x) + logdet

    def encode(self, x):
        for step in self.steps:
            x = step(x)[0]
        return x

    def decode(self, z):
        for step in reversed(self.steps):
            z = step.inverse(z)
        return z

    def sample(self, n):
        return self.decode(self.base.sample((n,)))


@torch.no_grad()
def mean_nll(flow, x):
    flow.eval()
    return -flow.log_prob(x).mean().item()


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    draw = lambda n, s: make_moons(n, noise=0.15, random_state=cfg.seed + s)[0].astype(np.float32)
    raw = [draw(cfg.n_train, 0), draw(cfg.n_val, 1), draw(cfg.n_test, 2)]
    mu, sd = raw[0].mean(0), raw[0].std(0)
    train, val, test = (torch.from_numpy((r - mu) / sd) for r in raw)

    flow = Flow(cfg)
    loader = DataLoader(TensorDataset(train), cfg.batch, shuffle=True, generator=torch.Generator().manual_seed(cfg.seed))
    opt = torch.optim.Adam(flow.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, epochs=cfg.epochs, steps_per_epoch=len(loader), pct_start=0.2)
    print(f"at the start: val nll {mean_nll(flow, val):.4f} nats  (standard normal, the flow is the identity)")
    best, kept = float("inf"), None
    for epoch in range(cfg.epochs):
        flow.train()
        seen = total = 0.0
        for (x,) in loader:
            loss = -flow.log_prob(x).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(x)
            seen += len(x)
        v = mean_nll(flow, val)
        if v < best:
            best, kept = v, copy.deepcopy(flow.state_dict())
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1:3d}  train nll {total / seen:+.4f}   val nll {v:+.4f}")

    flow.load_state_dict(kept)
    flow.eval()
    print(f"test nll {mean_nll(flow, test):+.4f} nats (best val {best:+.4f})")
    with torch.no_grad():
        back = flow.decode(flow.encode(test))
        print(f"largest inversion error {(back - test).abs().max():.2e}")
        fake = flow.sample(2000)
        near = torch.cdist(fake, test).min(1).values
        own = torch.cdist(val, test).min(1).values
    print(f"median distance to the nearest test point: samples {near.median():.4f}, real {own.median():.4f}")


if __name__ == "__main__":
    main()
