"""Inductive graph network: nodes of unseen graphs are assigned to communities from noisy attributes.

Every graph is one 'batch'; gradients of four graphs are averaged before a step.
"""
import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

logging.basicConfig(level=logging.INFO, format="%(message)s")
say = logging.getLogger(__name__).info


def sample_graph(rng: np.random.Generator, n=90, k=3, p_in=0.16, p_out=0.02):
    y = rng.permutation(np.repeat(np.arange(k), n // k))
    p = np.where(y[:, None] == y[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < p, 1)
    adj = (upper | upper.T).astype(np.float32) + np.eye(n, dtype=np.float32)
    feats = 0.9 * np.eye(k)[y] + rng.normal(0, 0.8, (n, k))
    src, dst = adj.nonzero()
    edges = torch.from_numpy(np.stack([src, dst]))
    return torch.tensor(feats, dtype=torch.float32), edges, torch.from_numpy(y)


def propagate(h: Tensor, edges: Tensor) -> Tensor:
    """Mean over neighbours; self loops guarantee a degree of at least one."""
    src, dst = edges
    out = torch.zeros_like(h).index_add_(0, dst, h[src])
    deg = torch.zeros(len(h)).index_add_(0, dst, torch.ones(len(dst)))
    return out / deg.unsqueeze(1)


class SageLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.nbr = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, h, edges):
        return self.own(h) + self.nbr(propagate(h, edges))


class GraphNet(nn.Module):
    def __init__(self, i, hidden, o, depth=3):
        super().__init__()
        dims = [i] + [hidden] * (depth - 1) + [o]
        self.layers = nn.ModuleList(SageLayer(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, h, edges):
        *body, last = self.layers
        for layer in body:
            h = F.relu(layer(h, edges))
        return last(h, edges)


@torch.inference_mode()
def evaluate(net, graphs):
    net.eval()
    losses, hits, nodes = 0.0, 0, 0
    for x, e, y in graphs:
        logits = net(x, e)
        losses += F.cross_entropy(logits, y, reduction="sum").item()
        hits += int((logits.argmax(-1) == y).sum())
        nodes += len(y)
    return losses / nodes, hits / nodes


def main():
    rng = np.random.default_rng(12)
    torch.manual_seed(12)
    train, val, test = ([sample_graph(rng) for _ in range(m)] for m in (80, 20, 30))
    net = GraphNet(3, 24, 3)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    epochs, group = 16, 4
    sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=epochs)

    for epoch in range(epochs):
        net.train()
        order = rng.permutation(len(train))
        total = 0.0
        for chunk in order.reshape(-1, group):          # 80 graphs divide evenly by 4
            opt.zero_grad()
            for g in chunk:
                x, e, y = train[g]
                loss = F.cross_entropy(net(x, e), y)
                (loss / group).backward()
                total += loss.item()
            opt.step()
        sched.step()
        if epoch % 2 == 1:
            vl, va = evaluate(net, val)
            say("epoch %2d  train loss %.4f  val loss %.4f  val acc %.3f", epoch + 1, total / len(train), vl, va)

    tl, ta = evaluate(net, test)
    attr_only = np.mean([(x.argmax(1) == y).float().mean().item() for x, _, y in test])
    say("unseen graphs: loss %.4f accuracy %.3f (attributes alone %.3f)", tl, ta, attr_only)


if __name__ == "__main__":
    main()
