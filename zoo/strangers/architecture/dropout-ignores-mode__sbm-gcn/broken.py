#!/usr/bin/env python3
"""Node classification on a planted-partition citation-like graph with a dense 2-layer GCN."""
from functools import partial
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F

hp = SimpleNamespace(nodes=1400, classes=5, feat=64, hidden=64, p_in=0.010, p_out=0.0018, noise=1.8,
                     dropout=0.6, lr=0.01, wd=5e-4, epochs=160, seed=21, per_class=40)


def planted_graph(hp, g):
    y = torch.randint(hp.classes, (hp.nodes,), generator=g)
    same = y[:, None] == y[None, :]
    prob = torch.where(same, torch.tensor(hp.p_in), torch.tensor(hp.p_out))
    upper = torch.triu(torch.rand(hp.nodes, hp.nodes, generator=g) < prob, diagonal=1)
    adj = (upper | upper.T).float()
    centres = torch.randn(hp.classes, hp.feat, generator=g) * 0.6
    x = centres[y] + hp.noise * torch.randn(hp.nodes, hp.feat, generator=g)
    return x, y, adj


def normalise(adj):
    a = adj + torch.eye(len(adj))
    d = a.sum(1).rsqrt()
    return (d[:, None] * a * d[None, :]).to_sparse_csr()


def masks(y, hp, g):
    train = torch.zeros(len(y), dtype=torch.bool)
    for c in range(hp.classes):
        members = torch.nonzero(y == c).squeeze(1)
        train[members[torch.randperm(len(members), generator=g)[:hp.per_class]]] = True
    rest = torch.nonzero(~train).squeeze(1)
    rest = rest[torch.randperm(len(rest), generator=g)]
    val = torch.zeros_like(train)
    val[rest[:300]] = True
    return train, val, ~(train | val)


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)

    def forward(self, a, h):
        return a @ self.lin(h)


class GCN(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.conv1 = GraphConv(hp.feat, hp.hidden)
        self.conv2 = GraphConv(hp.hidden, hp.classes)
        self.p = hp.dropout

    def forward(self, a, x):
        drop = partial(F.dropout, p=self.p)
        h = F.relu(self.conv1(a, drop(x)))
        return self.conv2(a, drop(h))


def accuracy(logits, y, mask):
    return (logits[mask].argmax(1) == y[mask]).float().mean().item()


def main():
    g = torch.Generator().manual_seed(hp.seed)
    torch.manual_seed(hp.seed)
    x, y, adj = planted_graph(hp, g)
    a = normalise(adj)
    train, val, test = masks(y, hp, g)
    x = (x - x[train].mean(0)) / x[train].std(0)
    print(f"{hp.nodes} nodes, {int(adj.sum() / 2)} edges, {int(train.sum())} labelled")

    model = GCN(hp)
    opt = torch.optim.Adam(model.parameters(), lr=hp.lr, weight_decay=hp.wd)
    for epoch in range(1, hp.epochs + 1):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(a, x)[train], y[train])
        loss.backward()
        opt.step()
        if epoch % 16 == 0:
            model.eval()
            with torch.no_grad():
                out = model(a, x)
            print(f"epoch {epoch:4d}   loss {loss.item():.3f}   train {accuracy(out, y, train):.3f}   "
                  f"val {accuracy(out, y, val):.3f}")
    model.eval()
    with torch.no_grad():
        out = model(a, x)
    print(f"test accuracy {accuracy(out, y, test):.3f}   test nll {F.cross_entropy(out[test], y[test]).item():.3f}")


if __name__ == "__main__":
    main()
