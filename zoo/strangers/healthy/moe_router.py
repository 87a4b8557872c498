"""Sparse mixture of experts (top-2 of 6, token dispatch by index) on a table with hidden regimes.

config is a plain dict so that the sweep script can patch it.
"""
import copy
import json

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

CONFIG = json.loads("""{"seed": 5, "n": 24000, "features": 6, "regimes": 4, "experts": 6, "top_k": 2, "hidden": 32,
 "batch": 256, "epochs": 24, "lr": 0.004, "weight_decay": 1e-4, "balance": 0.01}""")


def make_table(c):
    """Standard normal features; two of them blend softly between four laws."""
    g = torch.Generator().manual_seed(c["seed"])
    x = torch.randn(c["n"], c["features"], generator=g)
    p, q = torch.sigmoid(5 * x[:, 0]), torch.sigmoid(5 * x[:, 1])
    law = torch.stack([(1 - p) * (1 - q), (1 - p) * q, p * (1 - q), p * q], 1)
    w = torch.randn(c["regimes"], c["features"], generator=g) / c["features"] ** 0.5
    y = (law * (x @ w.T)).sum(1)
    y = y + law[:, 3] * 0.7 * torch.sin(2 * x[:, 2]) + (1 - law[:, 3]) * 0.4 * x[:, 3] * x[:, 4]
    y = y + 0.15 * torch.randn(c["n"], generator=g)
    return x, y


class SparseMoE(nn.Module):
    def __init__(self, d, experts, k, hidden):
        super().__init__()
        self.k = k
        self.router = nn.Sequential(nn.Linear(d, 32), nn.GELU(), nn.Linear(32, experts))
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, 1))
            for _ in range(experts))
        self.register_buffer("served", torch.zeros(experts), persistent=False)

    def forward(self, x):
        probs = self.router(x).softmax(dim=-1)
        top, idx = probs.topk(self.k, dim=-1)
        gate = top / top.sum(-1, keepdim=True)
        out = x.new_zeros(len(x))
        for e, net in enumerate(self.experts):
            row, slot = (idx == e).nonzero(as_tuple=True)
            if row.numel():            # an expert nobody chose simply gets no gradient this step
                out = out.index_add(0, row, gate[row, slot] * net(x[row]).squeeze(-1))
        # Switch-style balance: fraction routed (a count, constant) times mean probability; 1 when even
        load = F.one_hot(idx, len(self.experts)).float().mean((0, 1))
        if not self.training:
            self.served += load * len(x)
        return out, len(self.experts) * (load * probs.mean(0)).sum()


@torch.no_grad()
def score(model, x, y):
    model.eval()
    model.served.zero_()
    pred, _ = model(x)
    return F.mse_loss(pred, y).item(), (model.served / model.served.sum()).tolist()


def run(c):
    torch.manual_seed(c["seed"])
    x, y = make_table(c)
    cut1, cut2 = int(0.7 * len(x)), int(0.85 * len(x))     # rows are independent draws, any cut is random
    mu, sd = y[:cut1].mean(), y[:cut1].std()
    y = (y - mu) / sd
    (xt, yt), (xv, yv), (xs, ys) = [(x[s], y[s]) for s in (slice(cut1), slice(cut1, cut2), slice(cut2, None))]
    loader = DataLoader(TensorDataset(xt, yt), c["batch"], shuffle=True,
                        generator=torch.Generator().manual_seed(c["seed"]))
    model = SparseMoE(c["features"], c["experts"], c["top_k"], c["hidden"])
    decay = [p for p in model.parameters() if p.ndim > 1]
    plain = [p for p in model.parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": c["weight_decay"]},
                             {"params": plain, "weight_decay": 0.0}], lr=c["lr"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, c["epochs"], eta_min=c["lr"] / 20)
    best = (float("inf"), None)
    for epoch in range(1, c["epochs"] + 1):
        model.train()
        fit = bal = 0.0
        for xb, yb in loader:
            pred, balance = model(xb)
            mse = F.mse_loss(pred, yb)
            opt.zero_grad()
            (mse + c["balance"] * balance).backward()
            opt.step()
            fit += mse.item() * len(xb)
            bal += balance.item() * len(xb)
        sched.step()
        val, use = score(model, xv, yv)
        if val < best[0]:
            best = (val, copy.deepcopy(model.state_dict()))
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d}  mse {fit / len(xt):.4f}  balance {bal / len(xt):.3f}  val mse {val:.4f}"
                  f"  use {' '.join(f'{u:.2f}' for u in use)}")
    model.load_state_dict(best[1])
    test, use = score(model, xs, ys)
    print(f"noise floor {(0.15 / sd) ** 2:.4f}   test mse {test:.4f}   R2 {1 - test / ys.var():.4f}")


if __name__ == "__main__":
    run(CONFIG)
