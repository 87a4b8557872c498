"""Learn the price of a European call from simulated payoffs.

Each sample is a random contract and ONE simulated discounted payoff; its conditional mean is the price, so least
squares on payoffs is a regression to the price.  Black-Scholes serves as the held-out truth.
"""
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Settings:
    steps: int = 2000
    batch: int = 2
    lr: float = 2e-3
    hidden: int = 48
    seed: int = 42
    report: int = 200


LOW = torch.tensor([-0.5, 0.15, 0.25])   # log-moneyness, volatility, years
HIGH = torch.tensor([0.5, 0.60, 2.00])
PAYOFF_SCALE = 0.5


def draw_contracts(n, gen):
    return LOW + (HIGH - LOW) * torch.rand(n, 3, generator=gen)


def to_features(c):
    mid, half = (LOW + HIGH) / 2, (HIGH - LOW) / math.sqrt(12)
    return (c - mid) / half


def simulate_payoff(c, gen):
    m, vol, years = c.unbind(1)
    z = torch.randn(len(c), generator=gen)
    terminal = torch.exp(m - 0.5 * vol ** 2 * years + vol * years.sqrt() * z)
    return (terminal - 1.0).clamp_min(0.0)


def black_scholes(c):
    m, vol, years = c.unbind(1)
    sd = vol * years.sqrt()
    d1 = m / sd + 0.5 * sd
    cdf = lambda v: 0.5 * (1 + torch.erf(v / math.sqrt(2)))
    return m.exp() * cdf(d1) - cdf(d1 - sd)


class Pricer(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                  nn.Linear(hidden, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def held_out(model, contracts):
    model.eval()
    with torch.no_grad():
        price = PAYOFF_SCALE * model(to_features(contracts))
    model.train()
    truth = black_scholes(contracts)
    err = price - truth
    return err.pow(2).mean().sqrt().item(), 1 - (err.pow(2).mean() / truth.var(unbiased=False)).item()


def main(cfg=Settings()):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed + 1)
    valid = draw_contracts(2000, torch.Generator().manual_seed(1001))
    test = draw_contracts(4000, torch.Generator().manual_seed(1002))

    model = Pricer(cfg.hidden)
    optim = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    window = 0.0
    for step in range(1, cfg.steps + 1):
        contracts = draw_contracts(cfg.batch, gen)
        payoff = simulate_payoff(contracts, gen) / PAYOFF_SCALE
        loss = (model(to_features(contracts)) - payoff).pow(2).mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        window += loss.item()
        if step % cfg.report == 0:
            rmse, _ = held_out(model, valid)
            print(f"step {step:5d}  loss {window / cfg.report:.4f}  valid price rmse {rmse:.4f}")
            window = 0.0

    rmse, r2 = held_out(model, test)
    print(f"test against Black-Scholes: rmse {rmse:.4f}  R2 {r2:.4f}")


if __name__ == "__main__":
    main()
