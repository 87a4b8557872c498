"""Probabilistic forecasting: a causal temporal CNN predicts the 10/50/90 % quantiles of the next value.

The noise level of the series changes with the season, so that a good interval has to change its width too.
"""
import logging
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

log = logging.getLogger("quantiles")


@dataclass
class Config:
    quantiles: tuple = (0.1, 0.5, 0.9)
    context: int = 32
    length: int = 3600
    channels: int = 16
    dilations: list = field(default_factory=lambda: [1, 2, 4, 8])
    batch_size: int = 64
    epochs: int = 12
    lr: float = 3e-3
    seed: int = 77


def simulate(length: int, rng: np.random.Generator) -> np.ndarray:
    phase = 2 * np.pi * np.arange(length) / 16
    values = np.zeros(length)
    for t in range(1, length):
        scale = 0.15 + 0.35 * (1 + np.sin(phase[t])) / 2
        values[t] = 0.5 * values[t - 1] + 1.5 * np.sin(phase[t]) + scale * rng.normal()
    return values


class CausalConv(nn.Conv1d):
    def forward(self, x: Tensor) -> Tensor:
        left = (self.kernel_size[0] - 1) * self.dilation[0]
        return super().forward(F.pad(x, (left, 0)))


class QuantileTCN(nn.Module):
    """Emits one sorted triple per time step; the gaps are softplus-positive so the quantiles never cross."""

    def __init__(self, cfg: Config):
        super().__init__()
        c = cfg.channels
        self.first = CausalConv(1, c, 2)
        self.stack = nn.ModuleList(CausalConv(c, c, 2, dilation=d) for d in cfg.dilations)
        self.head = nn.Conv1d(c, len(cfg.quantiles), 1)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.first(x.unsqueeze(1)))
        for conv in self.stack:
            h = h + torch.relu(conv(h))
        low, *gaps = self.head(h).unbind(dim=1)
        levels = [low]
        for gap in gaps:
            levels.append(levels[-1] + F.softplus(gap))
        return torch.stack(levels, dim=-1)


def pinball(pred: Tensor, target: Tensor, q: Tensor) -> Tensor:
    diff = target.unsqueeze(-1) - pred
    return torch.maximum(q * diff, (q - 1) * diff).mean()


def windows(series: Tensor, context: int) -> tuple[Tensor, Tensor]:
    """Inputs x[t..t+context) and, for each step, the value that follows it."""
    chunks = series.unfold(0, context + 1, 1)
    return chunks[:, :-1], chunks[:, 1:]


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    cfg = Config()
    torch.manual_seed(cfg.seed)
    raw = simulate(cfg.length, np.random.default_rng(cfg.seed))
    cut = int(0.75 * cfg.length)
    mu, sd = raw[:cut].mean(), raw[:cut].std()
    series = torch.tensor((raw - mu) / sd, dtype=torch.float32)
    x_train, y_train = windows(series[:cut], cfg.context)
    x_test, y_test = windows(series[cut:], cfg.context)
    q = torch.tensor(cfg.quantiles)
    warm = cfg.context // 2  # steps with too short a history are not scored

    model = QuantileTCN(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.85)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x_train)).split(cfg.batch_size):
            loss = pinball(model(x_train[idx])[:, warm:], y_train[idx][:, warm:], q)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            total += loss.item() * len(idx)
        scheduler.step()
        if epoch % 3 == 0:
            log.info("epoch %2d  pinball %.4f", epoch, total / len(x_train))

    model.eval()
    with torch.no_grad():
        pred = model(x_test)[:, -1]
        truth = y_test[:, -1]
        score = pinball(pred, truth, q).item()
        constant = pinball(torch.quantile(series[:cut], q).expand_as(pred), truth, q).item()
        inside = ((truth >= pred[:, 0]) & (truth <= pred[:, 2])).float().mean().item()
    log.info("test pinball %.4f (constant quantiles %.4f), 80%% interval covers %.1f%%", score, constant, 100 * inside)


if __name__ == "__main__":
    main()
