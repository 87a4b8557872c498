"""Node classification on a stochastic block model, by a job that may be stopped at any time.

The script plays the scheduler of a cluster too: it kills its own run after a third and again after
two thirds, starts anew from the checkpoint in a fresh set of objects, and at the end checks that a run that
was never stopped gives the very same weights.

Full-batch: the graph is one example, so every step sees all of it; the masks say which nodes teach.
"""
import os
import tempfile
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Cfg:
    nodes: int = 1500
    classes: int = 5
    features: int = 32
    hidden: int = 32
    dropout: float = 0.4
    lr: float = 1e-2
    weight_decay: float = 2e-3
    steps: int = 150
    seed: int = 9


def make_graph(cfg):
    rng = np.random.default_rng(cfg.seed)
    y = rng.integers(cfg.classes, size=cfg.nodes)
    same = y[:, None] == y[None]
    upper = np.triu(rng.random((cfg.nodes, cfg.nodes)) < np.where(same, 0.02, 0.003), k=1)
    a = upper | upper.T | np.eye(cfg.nodes, dtype=bool)
    centres = rng.normal(0, 0.45, size=(cfg.classes, cfg.features))
    x = centres[y] + rng.normal(size=(cfg.nodes, cfg.features))
    deg = a.sum(1)
    norm = a / np.sqrt(deg[:, None] * deg[None])                    # D^-1/2 (A+I) D^-1/2, degree is at least one
    order = rng.permutation(cfg.nodes)
    masks = {"train": order[:700], "val": order[700:1000], "test": order[1000:]}
    mu, sd = x[masks["train"]].mean(0), x[masks["train"]].std(0)
    return (torch.tensor((x - mu) / sd, dtype=torch.float32), torch.tensor(norm, dtype=torch.float32).to_sparse_csr(),
            torch.tensor(y), {k: torch.tensor(v) for k, v in masks.items()})


class GCN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.l1 = nn.Linear(cfg.features, cfg.hidden)
        self.l2 = nn.Linear(cfg.hidden, cfg.classes)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x, adj):
        h = F.relu(adj @ self.l1(self.drop(x)))
        return adj @ self.l2(self.drop(h))


class Job:
    def __init__(self, cfg, path):
        self.cfg, self.path = cfg, path
        torch.manual_seed(cfg.seed)
        self.x, self.adj, self.y, self.masks = make_graph(cfg)
        self.model = GCN(cfg)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.sched = torch.optim.lr_scheduler.LinearLR(self.opt, 1.0, 0.02, total_iters=cfg.steps)
        self.step = 0
        if os.path.exists(path):
            self.load()

    def save(self):
        tmp = self.path + ".part"
        torch.save({"model": self.model.state_dict(), "opt": self.opt.state_dict(), "sched": self.sched.state_dict(),
                    "step": self.step, "rng": torch.get_rng_state(), "cfg": asdict(self.cfg)}, tmp)
        os.replace(tmp, self.path)                          # whole or not at all

    def load(self):
        ck = torch.load(self.path, weights_only=True)
        assert ck["cfg"] == asdict(self.cfg), "checkpoint of another experiment"
        self.model.load_state_dict(ck["model"])
        self.opt.load_state_dict(ck["opt"])
        self.sched.load_state_dict(ck["sched"])
        self.step = ck["step"]
        torch.set_rng_state(ck["rng"])
        print(f"-- resumed at step {self.step}, lr {self.sched.get_last_lr()[0]:.5f}")

    def score(self, part):
        self.model.eval()
        with torch.no_grad():
            out, m = self.model(self.x, self.adj), self.masks[part]
            return F.cross_entropy(out[m], self.y[m]).item(), (out[m].argmax(1) == self.y[m]).float().mean().item()

    def work(self, until, quiet=False):
        m = self.masks["train"]
        while self.step < until:
            self.model.train()
            self.opt.zero_grad()
            loss = F.cross_entropy(self.model(self.x, self.adj)[m], self.y[m])
            loss.backward()
            self.opt.step()
            self.sched.step()
            self.step += 1
            if not quiet and self.step % 10 == 0:
                (tl, _), (vl, va) = self.score("train"), self.score("val")
                print(f"step {self.step:3d}  loss {loss.item():.4f}  train (no dropout) {tl:.4f}  val {vl:.4f}  val acc {va:.3f}")
        self.save()
        return self


if __name__ == "__main__":
    cfg = Cfg()
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "job.pt")
        for stop in (cfg.steps // 3, 2 * cfg.steps // 3, cfg.steps):
            job = Job(cfg, path).work(stop)                 # new objects every time, state from the file
        straight = Job(cfg, os.path.join(d, "straight.pt")).work(cfg.steps, quiet=True)

    gap = max((a - b).abs().max().item() for a, b in zip(job.model.parameters(), straight.model.parameters()))
    print(f"largest difference to the uninterrupted run: {gap:.1e}")
    loss, acc = job.score("test")
    print(f"test loss {loss:.4f}  accuracy {acc:.3f}  (chance {1 / cfg.classes:.2f})")
