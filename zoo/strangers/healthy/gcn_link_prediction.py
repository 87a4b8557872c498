"""Graph autoencoder: link prediction in a small social network with hidden communities and negative sampling."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor, nn


@dataclass(frozen=True)
class Settings:
    nodes: int = 400
    groups: int = 8
    p_in: float = 0.30
    p_out: float = 0.008
    feat: int = 32
    steps: int = 320
    lr: float = 2e-3
    seed: int = 31


def build_graph(cfg: Settings) -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng(cfg.seed)
    group = rng.integers(0, cfg.groups, cfg.nodes)
    centre = rng.normal(size=(cfg.groups, cfg.feat))
    x = 0.5 * centre[group] + rng.normal(size=(cfg.nodes, cfg.feat))
    iu = np.triu_indices(cfg.nodes, 1)
    prob = np.where(group[iu[0]] == group[iu[1]], cfg.p_in, cfg.p_out)
    keep = rng.random(len(prob)) < prob
    edges = np.stack([iu[0][keep], iu[1][keep]])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(edges)


def normalised_adjacency(edges: Tensor, n: int) -> Tensor:
    loops = torch.arange(n)
    src = torch.cat([edges[0], edges[1], loops])
    dst = torch.cat([edges[1], edges[0], loops])
    deg = torch.zeros(n).index_add_(0, src, torch.ones(len(src)))
    w = deg[src].rsqrt() * deg[dst].rsqrt()
    return torch.sparse_coo_tensor(torch.stack([src, dst]), w, (n, n)).coalesce()


def negatives(k: int, n: int, taken: set[tuple[int, int]], gen: torch.Generator) -> Tensor:
    out: list[tuple[int, int]] = []
    while len(out) < k:
        for a, b in torch.randint(n, (k, 2), generator=gen).tolist():
            pair = (min(a, b), max(a, b))
            if a != b and pair not in taken and len(out) < k:
                out.append(pair)
    return torch.tensor(out).T


class Encoder(nn.Module):
    def __init__(self, n_in: int, hidden: int = 48, out: int = 24):
        super().__init__()
        self.l1, self.l2 = nn.Linear(n_in, hidden), nn.Linear(hidden, out)
        self.drop = nn.Dropout(0.3)

    def forward(self, x: Tensor, adj: Tensor) -> Tensor:
        h = F.relu(torch.sparse.mm(adj, self.l1(x)))
        return torch.sparse.mm(adj, self.l2(self.drop(h)))


class LinkModel(nn.Module):
    def __init__(self, n_in: int):
        super().__init__()
        self.encoder = Encoder(n_in)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor, adj: Tensor, pairs: Tensor) -> Tensor:
        z = self.encoder(x, adj)
        return (z[pairs[0]] * z[pairs[1]]).sum(-1) + self.bias


@torch.no_grad()
def score(model: LinkModel, x: Tensor, adj: Tensor, pos: Tensor, neg: Tensor) -> tuple[float, float]:
    model.eval()
    logits = model(x, adj, torch.cat([pos, neg], 1))
    y = np.r_[np.ones(pos.shape[1]), np.zeros(neg.shape[1])]
    return roc_auc_score(y, logits.numpy()), average_precision_score(y, logits.numpy())


def run(cfg: Settings = Settings()) -> None:
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    x, edges = build_graph(cfg)
    m = edges.shape[1]
    edges = edges[:, torch.randperm(m, generator=gen)]
    n_val, n_te = m // 10, m // 5
    val, test, train = edges[:, :n_val], edges[:, n_val:n_val + n_te], edges[:, n_val + n_te:]
    known = {tuple(e) for e in edges.T.tolist()}
    val_neg, test_neg = negatives(n_val, cfg.nodes, known, gen), negatives(n_te, cfg.nodes, known, gen)
    adj = normalised_adjacency(train, cfg.nodes)        # only training edges carry messages
    train_known = {tuple(e) for e in train.T.tolist()}
    print(f"{cfg.nodes} nodes, edges train/val/test {train.shape[1]}/{n_val}/{n_te}")

    model = LinkModel(cfg.feat)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=5e-4)
    for step in range(1, cfg.steps + 1):
        model.train()
        neg = negatives(train.shape[1], cfg.nodes, train_known, gen)
        logits = model(x, adj, torch.cat([train, neg], 1))
        y = torch.cat([torch.ones(train.shape[1]), torch.zeros(neg.shape[1])])
        loss = F.binary_cross_entropy_with_logits(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 20 == 0:
            auc, ap = score(model, x, adj, val, val_neg)
            print(f"step {step:3d} loss {loss.item():.4f} val auc {auc:.3f} ap {ap:.3f}")
    auc, ap = score(model, x, adj, test, test_neg)
    print(f"test auc {auc:.3f} ap {ap:.3f}")


if __name__ == "__main__":
    run()
