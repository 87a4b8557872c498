"""Semi-supervised node classification with a two-layer graph convolution, averaged over restarts."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class CitationGraph:
    """Stochastic block model with weakly informative bag-of-words features."""

    def __init__(self, n=900, classes=5, words=120, p_in=0.02, p_out=0.002, seed=0):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, classes, size=n)
        prob = np.where(y[:, None] == y[None, :], p_in, p_out)
        upper = np.triu(rng.random((n, n)) < prob, 1)
        adj = (upper | upper.T).astype(np.float32) + np.eye(n, dtype=np.float32)
        deg = adj.sum(1)
        topic = rng.dirichlet(np.full(words, 0.5), size=classes)
        x = np.stack([rng.multinomial(25, 0.5 * topic[c] + 0.5 / words) for c in y]).astype(np.float32)
        x = np.log1p(x)

        order = rng.permutation(n)
        self.train_idx = torch.from_numpy(order[:150])
        self.val_idx = torch.from_numpy(order[150:400])
        self.test_idx = torch.from_numpy(order[400:])
        mu, sd = x[order[:150]].mean(0), x[order[:150]].std(0) + 0.1
        self.x = torch.from_numpy((x - mu) / sd)
        self.adj = torch.from_numpy(adj / np.sqrt(deg[:, None] * deg[None, :]))
        self.y = torch.from_numpy(y)
        self.classes = classes


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, adj, x):
        return adj @ self.lin(x) + self.bias


class GCN(nn.Module):
    def __init__(self, d_in, hidden, classes, dropout):
        super().__init__()
        self.sizes = (d_in, hidden, classes)
        self.dropout = dropout
        self.reset()

    def reset(self):
        d_in, hidden, classes = self.sizes
        self.conv1 = GraphConv(d_in, hidden)
        self.conv2 = GraphConv(hidden, classes)

    def forward(self, adj, x):
        x = F.dropout(x, self.dropout, self.training)
        x = F.relu(self.conv1(adj, x))
        x = F.dropout(x, self.dropout, self.training)
        return self.conv2(adj, x)


class Experiment:
    def __init__(self, graph, args):
        self.graph = graph
        self.args = args
        self.model = GCN(graph.x.shape[1], args.hidden, graph.classes, args.dropout)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr, weight_decay=args.weight_decay)

    def accuracy(self, idx):
        self.model.eval()
        with torch.no_grad():
            out = self.model(self.graph.adj, self.graph.x)
        return (out[idx].argmax(1) == self.graph.y[idx]).float().mean().item()

    def run(self, seed):
        torch.manual_seed(seed)
        self.model.reset()
        g = self.graph
        for step in range(1, self.args.steps + 1):
            self.model.train()
            self.optimizer.zero_grad()
            out = self.model(g.adj, g.x)
            loss = F.cross_entropy(out[g.train_idx], g.y[g.train_idx])
            loss.backward()
            self.optimizer.step()
            if step % 50 == 0:
                print(f"  restart {seed} step {step:3d} loss {loss.item():.4f} val {self.accuracy(g.val_idx):.3f}")
        return self.accuracy(g.test_idx)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--dropout", type=float, default=0.5)
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--weight-decay", type=float, default=5e-3)
    p.add_argument("--steps", type=int, default=200)
    p.add_argument("--restarts", type=int, default=3)
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(0)
    experiment = Experiment(CitationGraph(), args)
    scores = [experiment.run(seed) for seed in range(args.restarts)]
    print("test accuracy per restart:", " ".join(f"{s:.3f}" for s in scores))
    print(f"mean {np.mean(scores):.3f} +- {np.std(scores):.3f}")


if __name__ == "__main__":
    main()
