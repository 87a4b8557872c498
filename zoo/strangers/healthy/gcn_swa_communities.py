"""Transductive node classification; the last part of training is averaged (SWA)."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import SWALR, AveragedModel


class Communities:
    def __init__(self, sizes=(220, 200, 180, 160), p_in=0.035, p_out=0.006, d=24, seed=3):
        rng = np.random.default_rng(seed)
        self.y = np.repeat(np.arange(len(sizes)), sizes)
        n = len(self.y)
        same = self.y[:, None] == self.y[None, :]
        upper = np.triu(rng.random((n, n)) < np.where(same, p_in, p_out), 1)
        adj = (upper | upper.T).astype(np.float32) + np.eye(n, dtype=np.float32)
        deg = adj.sum(1)
        self.prop = torch.from_numpy(adj / np.sqrt(deg[:, None] * deg[None, :]))
        topics = rng.normal(size=(len(sizes), d))
        self.x = torch.tensor(0.35 * topics[self.y] + rng.normal(size=(n, d)), dtype=torch.float32)
        self.y = torch.from_numpy(self.y)
        order = rng.permutation(n)
        self.train, self.val, self.test = (torch.from_numpy(p) for p in np.split(order, [80, 200]))


class GCN(nn.Module):
    def __init__(self, d, h, k):
        super().__init__()
        self.a, self.b = nn.Linear(d, h), nn.Linear(h, k)

    def forward(self, x, prop):
        x = F.dropout(x, 0.3, self.training)
        x = F.relu(prop @ self.a(x))
        x = F.dropout(x, 0.5, self.training)
        return prop @ self.b(x)


def accuracy(net, g, part):
    net.eval()
    with torch.no_grad():
        return (net(g.x, g.prop).argmax(1)[part] == g.y[part]).float().mean().item()


def fit(epochs=240, swa_from=160):
    torch.manual_seed(3)
    g = Communities()
    net = GCN(g.x.size(1), 48, 4)
    averaged = AveragedModel(net)
    opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-3)
    swa_lr = SWALR(opt, swa_lr=0.02, anneal_epochs=10)
    print(f"{len(g.y)} nodes, {int((g.prop > 0).sum())} entries, {len(g.train)} labelled for training")
    for epoch in range(epochs):
        net.train()
        opt.zero_grad()
        out = net(g.x, g.prop)
        loss = F.cross_entropy(out[g.train], g.y[g.train])
        loss.backward()
        opt.step()
        if epoch >= swa_from:
            averaged.update_parameters(net)
            swa_lr.step()
        if (epoch + 1) % 20 == 0:
            who = averaged if epoch >= swa_from else net
            print(f"{epoch + 1:03d}: loss={loss.item():.3f} train={accuracy(net, g, g.train):.3f} "
                  f"val={accuracy(who, g, g.val):.3f}" + (" (averaged)" if who is averaged else ""))
    print(f"test accuracy: last iterate {accuracy(net, g, g.test):.4f}, averaged {accuracy(averaged, g, g.test):.4f}")


if __name__ == "__main__":
    fit()
