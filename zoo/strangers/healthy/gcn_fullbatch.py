"""Semi-supervised node classification on a citation-like graph (transductive, full batch)."""
import argparse
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Args:
    nodes: int = 1500
    classes: int = 5
    feats: int = 120
    labels_per_class: int = 20
    hidden: int = 32
    dropout: float = 0.5
    lr: float = 0.01
    weight_decay: float = 5e-4
    epochs: int = 400
    patience: int = 200
    seed: int = 0


def citation_graph(a, rng):
    y = rng.integers(0, a.classes, a.nodes)
    topics = rng.dirichlet(np.full(a.feats, 0.25), a.classes)
    background = rng.dirichlet(np.full(a.feats, 1.0))
    words = np.stack([rng.multinomial(14, 0.35 * topics[k] + 0.65 * background) for k in y])
    x = (words > 0).astype(np.float32)
    p = np.where(y[:, None] == y[None, :], 0.009, 0.0010)
    adj = np.triu(rng.random((a.nodes, a.nodes)) < p, 1)
    return x, adj | adj.T, y


def normalised_adjacency(adj):
    a_hat = torch.tensor(adj + np.eye(len(adj)), dtype=torch.float32)
    d = a_hat.sum(1).rsqrt()
    return (d[:, None] * a_hat * d[None, :]).to_sparse().coalesce()


class GCN(nn.Module):
    def __init__(self, fin, hidden, fout, dropout):
        super().__init__()
        self.w0 = nn.Parameter(torch.empty(fin, hidden))
        self.w1 = nn.Parameter(torch.empty(hidden, fout))
        self.b0 = nn.Parameter(torch.zeros(hidden))
        self.b1 = nn.Parameter(torch.zeros(fout))
        self.dropout = dropout
        nn.init.xavier_uniform_(self.w0)
        nn.init.xavier_uniform_(self.w1)

    def forward(self, x, adj):
        x = F.dropout(x, self.dropout, self.training)
        h = F.relu(torch.sparse.mm(adj, x @ self.w0) + self.b0)
        h = F.dropout(h, self.dropout, training=self.training)
        return F.log_softmax(torch.sparse.mm(adj, h @ self.w1) + self.b1, dim=-1)


def make_masks(y, a, rng):
    train = np.concatenate([rng.permutation(np.flatnonzero(y == c))[: a.labels_per_class] for c in range(a.classes)])
    rest = rng.permutation(np.setdiff1d(np.arange(a.nodes), train))
    masks = torch.zeros(3, a.nodes, dtype=torch.bool)
    for row, idx in zip(masks, (train, rest[:300], rest[300:])):
        row[torch.as_tensor(idx)] = True
    return masks


def main():
    parser = argparse.ArgumentParser()
    for name, default in vars(Args()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    a = Args(**vars(parser.parse_args()))
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)

    feats, adj, labels = citation_graph(a, rng)
    x = torch.from_numpy(feats / np.maximum(feats.sum(1, keepdims=True), 1)) * 10
    A, y = normalised_adjacency(adj), torch.from_numpy(labels)
    train_mask, val_mask, test_mask = make_masks(labels, a, rng)

    model = GCN(a.feats, a.hidden, a.classes, a.dropout)
    optimizer = torch.optim.Adam([
        {"params": [model.w0, model.b0], "weight_decay": a.weight_decay},
        {"params": [model.w1, model.b1], "weight_decay": 0.0},
    ], lr=a.lr)

    @torch.no_grad()
    def accuracies():
        model.eval()
        hit = model(x, A).argmax(1) == y
        return [hit[m].float().mean().item() for m in (train_mask, val_mask, test_mask)]

    best_val, best, wait = 0.0, None, 0
    for epoch in range(1, a.epochs + 1):
        model.train()
        optimizer.zero_grad()
        loss = F.nll_loss(model(x, A)[train_mask], y[train_mask])
        loss.backward()
        optimizer.step()
        tr, va, _ = accuracies()
        if va > best_val:
            best_val, best, wait = va, copy.deepcopy(model.state_dict()), 0
        else:
            wait += 1
        if epoch % 50 == 0:
            print(f"epoch {epoch:3d}  loss {loss.item():.4f}  train {tr:.3f}  val {va:.3f}")
        if wait >= a.patience:
            break
    model.load_state_dict(best)
    print(f"test accuracy {accuracies()[2]:.3f} (best val {best_val:.3f})")


if __name__ == "__main__":
    main()
