"""Custom gated RNN, SGD + momentum: sum of the marked values in a noisy sequence (adding problem)."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class TrainConfig:
    seq_len: int = 20
    hidden: int = 48
    n_train: int = 4000
    n_val: int = 800
    batch_size: int = 50
    epochs: int = 14
    lr: float = 0.05
    momentum: float = 0.9
    grad_clip: float = 0.01
    seed: int = 5


def adding_problem(n, T, g):
    v = torch.randn(n, T, generator=g)
    m = torch.zeros(n, T)
    i = torch.randint(0, T // 2, (n,), generator=g)
    j = torch.randint(T // 2, T, (n,), generator=g)
    r = torch.arange(n)
    m[r, i] = m[r, j] = 1.0
    y = (v * m).sum(1) / math.sqrt(2)
    return torch.stack([v, 2 * m - 1], -1), y


class GatedRNN(nn.Module):
    """h_t = (1 - z) * h + z * cand, update gate biased towards keeping."""

    def __init__(self, d_in, d):
        super().__init__()
        self.x = nn.Linear(d_in, 2 * d)
        self.h = nn.Linear(d, 2 * d, bias=False)
        self.out = nn.Linear(d, 1)
        nn.init.orthogonal_(self.h.weight[:d].data)
        with torch.no_grad():
            self.x.bias[d:].fill_(-1.0)
        self.d = d

    def forward(self, seq):
        xs = self.x(seq)
        h = seq.new_zeros(seq.size(0), self.d)
        for t in range(seq.size(1)):
            c, z = (xs[:, t] + self.h(h)).chunk(2, -1)
            h = torch.lerp(h, torch.tanh(c), torch.sigmoid(z))
        return self.out(h).squeeze(-1)


@torch.no_grad()
def val_mse(model, x, y):
    model.eval()
    mse = F.mse_loss(model(x), y).item()
    model.train()
    return mse


def main(cfg: TrainConfig):
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    g = torch.Generator().manual_seed(cfg.seed)
    x, y = adding_problem(cfg.n_train, cfg.seq_len, g)
    xv, yv = adding_problem(cfg.n_val, cfg.seq_len, g)
    model = GatedRNN(2, cfg.hidden)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum, nesterov=True)
    spe = cfg.n_train // cfg.batch_size
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs * spe, eta_min=cfg.lr * 0.02)
    print(f"baseline mse (predict the mean) {yv.var().item():.3f}")
    for ep in range(cfg.epochs):
        tot = 0.0
        for idx in torch.randperm(cfg.n_train).split(cfg.batch_size):
            loss = F.mse_loss(model(x[idx]), y[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.grad_clip)
            opt.step()
            sched.step()
            tot += loss.item()
        print(f"epoch {ep:2d}  train mse {tot / spe:.4f}  val mse {val_mse(model, xv, yv):.4f}")


if __name__ == "__main__":
    main(TrainConfig())
