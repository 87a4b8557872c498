"""Semi-supervised node classification on a stochastic block model graph."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_graph(n, k, n_feat, p_in, p_out, noise, rng):
    labels = rng.integers(0, k, size=n)
    same = labels[:, None] == labels[None, :]
    prob = np.where(same, p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, k=1)
    src, dst = np.nonzero(upper)
    centres = rng.normal(size=(k, n_feat))
    feats = centres[labels] + noise * rng.normal(size=(n, n_feat))
    return feats.astype(np.float32), labels, src, dst


def normalised_adjacency(n, src, dst):
    """D^-1/2 (A + I) D^-1/2 as a sparse tensor."""
    rows = np.concatenate([src, dst, np.arange(n)])
    cols = np.concatenate([dst, src, np.arange(n)])
    deg = np.bincount(rows, minlength=n).astype(np.float32)
    vals = 1.0 / np.sqrt(deg[rows] * deg[cols])
    idx = torch.from_numpy(np.stack([rows, cols]))
    adj = torch.sparse_coo_tensor(idx, torch.from_numpy(vals), (n, n), check_invariants=True)
    return adj.coalesce()


class GraphConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(in_dim, out_dim))
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x, adj):
        return torch.sparse.mm(adj, x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, in_dim, hidden, n_classes, dropout):
        super().__init__()
        self.conv1 = GraphConv(in_dim, hidden)
        self.conv2 = GraphConv(hidden, n_classes)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.dropout(x, self.dropout, training=self.training)
        h = F.relu(self.conv1(x, adj))
        h = F.dropout(h, self.dropout, training=self.training)
        return self.conv2(h, adj)


@torch.no_grad()
def accuracy(model, x, adj, y, idx):
    model.eval()
    pred = model(x, adj)[idx].argmax(dim=1)
    return (pred == y[idx]).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--nodes", type=int, default=2000)
    ap.add_argument("--classes", type=int, default=5)
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--dropout", type=float, default=0.3)
    ap.add_argument("--lr", type=float, default=0.01)
    ap.add_argument("--weight-decay", type=float, default=5e-4)
    ap.add_argument("--steps", type=int, default=300)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    feats, labels, src, dst = make_graph(
        args.nodes, args.classes, n_feat=48, p_in=0.012, p_out=0.0035, noise=3.0, rng=rng
    )
    adj = normalised_adjacency(args.nodes, src, dst)
    y = torch.from_numpy(labels)

    perm = torch.from_numpy(rng.permutation(args.nodes))
    n_train, n_val = int(0.3 * args.nodes), int(0.2 * args.nodes)
    train_idx, val_idx, test_idx = perm[:n_train], perm[n_train:n_train + n_val], perm[n_train + n_val:]

    x = torch.from_numpy(feats)
    mean, std = x[train_idx].mean(0), x[train_idx].std(0)
    x = (x - mean) / std
    print(f"nodes={args.nodes} edges={len(src)} train={len(train_idx)} val={len(val_idx)} test={len(test_idx)}")

    model = GCN(x.shape[1], args.hidden, args.classes, args.dropout)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)

    best_val, best_state = -1.0, None
    for step in range(1, args.steps + 1):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(x, adj)[train_idx], y[train_idx])
        loss.backward()
        opt.step()
        if step % 20 == 0:
            val = accuracy(model, x, adj, y, val_idx)
            if val > best_val:
                best_val = val
                best_state = {k: v.clone() for k, v in model.state_dict().items()}
            if step % 80 == 0:
                print(f"step {step:4d}  loss {loss.item():.4f}  val acc {val:.3f}")

    model.load_state_dict(best_state)
    print(f"best val acc {best_val:.3f}  test acc {accuracy(model, x, adj, y, test_idx):.3f}")


if __name__ == "__main__":
    main()
