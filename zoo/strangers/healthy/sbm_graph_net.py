"""Transductive node classification on a random block graph with a two-hop message-passing net built on index_add.

Every forward pass sees the whole graph, held-out nodes included; only the loss is masked. Labels of held-out nodes are
never inputs. Half of the nodes are labelled.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def block_graph(rng, n=2000, k=4, p_in=0.013, p_out=0.0015, d=10):
    block = rng.integers(k, size=n)
    prob = np.where(block[:, None] == block[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, 1)
    a, b = np.nonzero(upper)
    centres = rng.normal(scale=0.45, size=(k, d))
    feats = centres[block] + rng.normal(size=(n, d))
    return feats, block, np.stack([np.r_[a, b], np.r_[b, a]])


class MeanConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.own, self.others = nn.Linear(n_in, n_out), nn.Linear(n_in, n_out, bias=False)

    def forward(self, h, src, dst, inv_degree):
        gathered = torch.zeros_like(h).index_add_(0, dst, h[src])
        return self.own(h) + self.others(gathered * inv_degree)


class GraphNet(nn.Module):
    def __init__(self, n_in, width, classes):
        super().__init__()
        self.conv1, self.conv2 = MeanConv(n_in, width), MeanConv(width, width)
        self.head = nn.Linear(width, classes)
        self.drop = nn.Dropout(0.4)

    def forward(self, x, graph):
        h = self.drop(F.relu(self.conv1(x, *graph)))
        h = self.drop(F.relu(self.conv2(h, *graph)))
        return self.head(h)


def drop_edges(src, dst, keep, n):
    """Random edge removal, as training-time augmentation only."""
    mask = torch.rand(len(src)) < keep
    return with_degree(src[mask], dst[mask], n)


def with_degree(src, dst, n):
    degree = torch.bincount(dst, minlength=n).clamp_min(1)
    return src, dst, 1.0 / degree[:, None].float()


def run():
    rng = np.random.default_rng(40)
    torch.manual_seed(40)
    feats, block, edges = block_graph(rng)
    n = len(block)
    order = rng.permutation(n)
    train_idx, val_idx, test_idx = (torch.from_numpy(i) for i in np.split(order, [1000, 1300]))
    x = torch.tensor(feats, dtype=torch.float32)
    x = (x - x[train_idx].mean(0)) / x[train_idx].std(0)
    y = torch.from_numpy(block)
    src, dst = torch.from_numpy(edges)
    whole = with_degree(src, dst, n)
    print(f"{n} nodes, {len(src) // 2} edges, {len(train_idx)} labelled for training")

    model = GraphNet(x.shape[1], 32, 4)
    opt = torch.optim.Adam(model.parameters(), lr=8e-3, weight_decay=4e-3)
    best = {"loss": float("inf")}
    for epoch in range(160):
        model.train()
        opt.param_groups[0]["lr"] = 8e-3 * (1 if epoch < 80 else 0.955 ** (epoch - 80))
        logits = model(x, drop_edges(src, dst, 0.8, n))
        loss = F.cross_entropy(logits[train_idx], y[train_idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.eval()
        with torch.no_grad():
            logits = model(x, whole)
            val = F.cross_entropy(logits[val_idx], y[val_idx]).item()
        if val < best["loss"]:
            best = {"loss": val, "epoch": epoch, "state": {k: v.clone() for k, v in model.state_dict().items()}}
        if epoch % 20 == 19:
            acc = (logits.argmax(1) == y).float()
            print(f"epoch {epoch + 1:3d} loss {loss.item():.4f} val loss {val:.4f} "
                  f"train acc {acc[train_idx].mean():.3f} val acc {acc[val_idx].mean():.3f}")

    model.load_state_dict(best["state"])
    model.eval()
    with torch.no_grad():
        acc = (model(x, whole).argmax(1) == y).float()
        blind = model(x, with_degree(src[:0], dst[:0], n)).argmax(1)
    print(f"final (epoch {best['epoch'] + 1}): train acc {acc[train_idx].mean():.3f} test acc {acc[test_idx].mean():.3f} "
          f"(edges removed {(blind == y).float()[test_idx].mean():.3f}, chance 0.25)")


run()
