# Semi-supervised node classification, all in one graph. One "batch" is the whole graph;
# which nodes count is decided by masks. Sparse matrices by hand, no graph library.
import argparse
import copy

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--nodes", type=int, default=1200)
parser.add_argument("--communities", type=int, default=4)
parser.add_argument("--p-in", type=float, default=0.024)
parser.add_argument("--p-out", type=float, default=0.003)
parser.add_argument("--labelled-per-class", type=int, default=25)
parser.add_argument("--epochs", type=int, default=150)
parser.add_argument("--patience", type=int, default=40)
parser.add_argument("--seed", type=int, default=12)


def block_model(n, k, p_in, p_out, rng):
    block = rng.integers(k, size=n)
    prob = np.where(block[:, None] == block[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, 1)
    i, j = np.nonzero(upper | upper.T)
    # features say something about the community, though far from everything
    prototypes = rng.normal(size=(k, 16))
    feats = 0.5 * prototypes[block] + rng.normal(size=(n, 16))
    return block, np.stack([i, j]), feats


def normalised_adjacency(edges, n):
    loops = np.arange(n)
    i = np.concatenate([edges[0], loops])
    j = np.concatenate([edges[1], loops])
    deg = np.bincount(i, minlength=n)
    w = 1.0 / np.sqrt(deg[i] * deg[j])
    return torch.sparse_coo_tensor(np.stack([i, j]), torch.tensor(w, dtype=torch.float32), (n, n),
                                   check_invariants=True).coalesce()


def split_masks(block, per_class, rng):
    n = len(block)
    role = np.full(n, 2)
    for c in np.unique(block):
        members = rng.permutation(np.flatnonzero(block == c))
        role[members[:per_class]] = 0
        role[members[per_class:2 * per_class]] = 1
    return tuple(torch.from_numpy(role == r) for r in range(3))


class GCN(nn.Module):
    def __init__(self, d_in, d_hidden, d_out, p=0.4):
        super().__init__()
        self.first = nn.Linear(d_in, d_hidden, bias=False)
        self.second = nn.Linear(d_hidden, d_out, bias=False)
        self.b1 = nn.Parameter(torch.zeros(d_hidden))
        self.b2 = nn.Parameter(torch.zeros(d_out))
        self.p = p

    def forward(self, A, X):
        H = F.dropout(X, self.p, training=self.training)
        H = F.relu(A @ self.first(H) + self.b1)
        H = F.dropout(H, self.p, training=self.training)
        return A @ self.second(H) + self.b2


@torch.inference_mode()
def accuracy(model, A, X, y, masks):
    model.eval()
    right = model(A, X).argmax(1) == y
    return [right[m].float().mean().item() for m in masks]


def main(args):
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    block, edges, feats = block_model(args.nodes, args.communities, args.p_in, args.p_out, rng)
    A = normalised_adjacency(edges, args.nodes)
    train, val, test = split_masks(block, args.labelled_per_class, rng)
    y = torch.from_numpy(block)
    X = torch.tensor(feats, dtype=torch.float32)
    X = (X - X[train].mean(0)) / X[train].std(0)
    print(f"{args.nodes} nodes, {edges.shape[1] // 2} edges, "
          f"{int(train.sum())}/{int(val.sum())}/{int(test.sum())} nodes in train/val/test")

    model = GCN(X.shape[1], 32, args.communities)
    opt = torch.optim.Adam(
        [{"params": model.first.parameters(), "weight_decay": 5e-3},
         {"params": [*model.second.parameters(), model.b1, model.b2], "weight_decay": 0.0}],
        lr=1e-2,
    )
    best_val, best_state, waited = -1.0, None, 0
    for epoch in range(args.epochs):
        model.train()
        loss = F.cross_entropy(model(A, X)[train], y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()

        acc_train, acc_val = accuracy(model, A, X, y, (train, val))
        if acc_val > best_val:
            best_val, best_state, waited = acc_val, copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
        if epoch % 15 == 0:
            print(f"{epoch:4d}  loss {loss.item():.4f}  train {acc_train:.3f}  val {acc_val:.3f}")
        if waited >= args.patience:
            print(f"stopped after epoch {epoch}, validation has not improved for {waited} epochs")
            break

    model.load_state_dict(best_state)
    print(f"best val {best_val:.3f}, test {accuracy(model, A, X, y, (test,))[0]:.3f}")


if __name__ == "__main__":
    main(parser.parse_args())
