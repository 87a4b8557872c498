"""Semi-supervised node classification on a simulated citation graph (transductive, as in the GCN paper).

Every step sees the whole graph: features and edges of all papers, labels of a few of them.
"""
import copy
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

hp = SimpleNamespace(nodes=900, classes=4, words=120, per_class=15, valid=150, hidden=24,
                     drop=0.5, lr=0.01, l2=5e-4, steps=200, seed=9)


def citation_graph(hp):
    rng = np.random.default_rng(hp.seed)
    topic = rng.integers(0, hp.classes, hp.nodes)
    same = topic[:, None] == topic[None]
    prob = np.where(same, 0.020, 0.0020)
    upper = np.triu(rng.random((hp.nodes, hp.nodes)) < prob, 1)
    adj = torch.from_numpy((upper | upper.T).astype(np.float32))
    rate = np.full((hp.classes, hp.words), 0.04)
    for c in range(hp.classes):
        rate[c, rng.choice(hp.words, 18, replace=False)] = 0.12
    words = torch.from_numpy((rng.random((hp.nodes, hp.words)) < rate[topic]).astype(np.float32))
    return adj, words, torch.from_numpy(topic)


def normalised(adj):
    a = adj + torch.eye(len(adj))
    d = a.sum(1).rsqrt()
    return (d[:, None] * a * d[None]).to_sparse()


def masks(y, hp):
    """per_class labelled papers, then a validation block, the rest is test; the three are disjoint."""
    gen = torch.Generator().manual_seed(hp.seed)
    order = torch.randperm(len(y), generator=gen)
    chosen = torch.cat([order[y[order] == c][:hp.per_class] for c in range(hp.classes)])
    train = torch.zeros(len(y), dtype=torch.bool)
    train[chosen] = True
    rest = order[~train[order]]
    valid, test = torch.zeros_like(train), torch.zeros_like(train)
    valid[rest[:hp.valid]] = True
    test[rest[hp.valid:]] = True
    return train, valid, test


class GCN(nn.Module):
    def __init__(self, n_in, hidden, n_out, drop):
        super().__init__()
        self.w1 = nn.Linear(n_in, hidden, bias=False)
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.w2 = nn.Linear(hidden, n_out, bias=False)
        self.b2 = nn.Parameter(torch.zeros(n_out))
        self.drop = drop

    def forward(self, a, x):
        h = torch.sparse.mm(a, self.w1(F.dropout(x, self.drop, self.training))) + self.b1
        h = F.dropout(F.relu(h), self.drop, self.training)
        return torch.sparse.mm(a, self.w2(h)) + self.b2


@torch.no_grad()
def scores(net, a, x, y, mask):
    net.eval()
    logits = net(a, x)[mask]
    return F.cross_entropy(logits, y[mask]).item(), (logits.argmax(1) == y[mask]).float().mean().item()


def main():
    torch.manual_seed(hp.seed)
    adj, words, y = citation_graph(hp)
    x = words / words.sum(1, keepdim=True).clamp(min=1)
    a = normalised(adj)
    train, valid, test = masks(y, hp)
    print(f"{hp.nodes} papers, {int(adj.sum()) // 2} citations, "
          f"{int(train.sum())}/{int(valid.sum())}/{int(test.sum())} train/valid/test")

    net = GCN(hp.words, hp.hidden, hp.classes, hp.drop)
    opt = torch.optim.Adam([
        {"params": net.w1.parameters(), "weight_decay": hp.l2},
        {"params": [net.b1, net.b2, *net.w2.parameters()], "weight_decay": 0.0},
    ], lr=hp.lr)

    best = (float("inf"), None, 0)
    for step in range(1, hp.steps + 1):
        net.train()
        loss = F.cross_entropy(net(a, x)[train], y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
        val_loss, val_acc = scores(net, a, x, y, valid)
        if val_loss < best[0]:
            best = (val_loss, copy.deepcopy(net.state_dict()), step)
        if step % 25 == 0:
            print(f"step {step:3d}  loss {loss.item():.3f}  valid loss {val_loss:.3f} acc {val_acc:.3f}")

    net.load_state_dict(best[1])
    print(f"weights of step {best[2]}: test accuracy {scores(net, a, x, y, test)[1]:.3f}")


if __name__ == "__main__":
    main()
