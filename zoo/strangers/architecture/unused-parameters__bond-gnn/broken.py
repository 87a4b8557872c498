"""Energy regression on small molecule-like graphs with message passing.

Graphs are collated into one disjoint union per batch (no external graph library).
"""
import os
import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

N_ATOM, N_BOND = 5, 4
LAYERS = {}


def register(name):
    def wrap(cls):
        LAYERS[name] = cls
        return cls
    return wrap


@dataclass
class Config:
    layer: str = "gated"
    hidden: int = 48
    depth: int = 3
    lr: float = 2e-3
    epochs: int = 16
    batch_size: int = 32
    n_graphs: int = 1200
    seed: int = int(os.environ.get("SEED", 0))


def random_graph(rng, bond_energy, site_energy):
    n = int(rng.integers(6, 14))
    atoms = rng.integers(0, N_ATOM, n)
    pairs = [(i, int(rng.integers(0, i))) for i in range(1, n)]
    for _ in range(n // 4):
        i, j = sorted(rng.choice(n, 2, replace=False), reverse=True)
        if (int(i), int(j)) not in pairs:
            pairs.append((int(i), int(j)))
    bonds = rng.integers(0, N_BOND, len(pairs))
    energy = site_energy[atoms].sum()
    for (i, j), b in zip(pairs, bonds):
        energy += bond_energy[b] * (1.0 + 0.5 * ((atoms[i] + atoms[j]) % 3 == 0))
    energy += rng.normal(0, 0.15)
    src = [i for i, _ in pairs] + [j for _, j in pairs]
    dst = [j for _, j in pairs] + [i for i, _ in pairs]
    return {
        "x": torch.eye(N_ATOM)[atoms],
        "edge_index": torch.tensor([src, dst]),
        "edge_attr": torch.eye(N_BOND)[np.concatenate([bonds, bonds])],
        "y": float(energy),
    }


def collate(graphs):
    offset, edges, owner = 0, [], []
    for k, g in enumerate(graphs):
        edges.append(g["edge_index"] + offset)
        owner.append(torch.full((len(g["x"]),), k))
        offset += len(g["x"])
    return (torch.cat([g["x"] for g in graphs]), torch.cat(edges, 1),
            torch.cat([g["edge_attr"] for g in graphs]), torch.cat(owner),
            torch.tensor([g["y"] for g in graphs], dtype=torch.float32))


@register("gated")
class GatedConv(nn.Module):
    """h_i <- norm(h_i + W [h_i ; sum_j m_ij])"""

    def __init__(self, dim):
        super().__init__()
        self.node_proj = nn.Linear(dim, dim)
        self.bond_proj = nn.Linear(N_BOND, dim)
        self.gate = nn.Linear(2 * dim, dim)
        self.update = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.norm = nn.LayerNorm(dim)

    def message(self, h_i, h_j, edge_attr):
        gate = torch.sigmoid(self.gate(torch.cat([h_i, h_j], -1)))
        return gate * torch.relu(self.node_proj(h_j))

    def forward(self, h, edge_index, edge_attr):
        src, dst = edge_index
        m = self.message(h[dst], h[src], edge_attr)
        agg = torch.zeros_like(h).index_add_(0, dst, m)
        return self.norm(h + self.update(torch.cat([h, agg], -1)))


class EnergyNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Linear(N_ATOM, cfg.hidden)
        self.convs = nn.ModuleList(LAYERS[cfg.layer](cfg.hidden) for _ in range(cfg.depth))
        self.readout = nn.Sequential(nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, 1))

    def forward(self, x, edge_index, edge_attr, owner, n_graphs):
        h = self.embed(x)
        for conv in self.convs:
            h = conv(h, edge_index, edge_attr)
        per_atom = self.readout(h).squeeze(-1)
        return torch.zeros(n_graphs).index_add_(0, owner, per_atom) / 10.0


def evaluate(model, loader, mu, sigma):
    model.eval()
    preds, ys = [], []
    with torch.no_grad():
        for x, ei, ea, owner, y in loader:
            preds.append(model(x, ei, ea, owner, len(y)) * sigma + mu)
            ys.append(y)
    p, y = torch.cat(preds), torch.cat(ys)
    return (p - y).abs().mean().item(), (1 - ((p - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()).item()


def main(cfg):
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    bond_energy = np.array([-1.5, -0.4, 0.6, 1.6])
    site_energy = np.array([0.4, -0.3, 0.1, -0.4, 0.2])
    graphs = [random_graph(rng, bond_energy, site_energy) for _ in range(cfg.n_graphs)]
    n_test, n_val = cfg.n_graphs // 6, cfg.n_graphs // 6
    train, val, test = graphs[n_test + n_val:], graphs[:n_val], graphs[n_val:n_val + n_test]
    ys = np.array([g["y"] for g in train])
    mu, sigma = float(ys.mean()), float(ys.std())

    train_dl = DataLoader(train, cfg.batch_size, shuffle=True, collate_fn=collate)
    val_dl = DataLoader(val, 100, collate_fn=collate)
    test_dl = DataLoader(test, 100, collate_fn=collate)
    model = EnergyNet(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
    for epoch in range(cfg.epochs):
        model.train()
        running, count = 0.0, 0
        for x, ei, ea, owner, y in train_dl:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(x, ei, ea, owner, len(y)), (y - mu) / sigma)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            running += loss.item() * len(y)
            count += len(y)
        sched.step()
        mae, r2 = evaluate(model, val_dl, mu, sigma)
        print(f"[{epoch:02d}] train mse {running / count:.4f}  val mae {mae:.3f}  val r2 {r2:.3f}")
    mae, r2 = evaluate(model, test_dl, mu, sigma)
    print(f"test mae {mae:.3f}  test r2 {r2:.3f}")


if __name__ == "__main__":
    main(Config())
