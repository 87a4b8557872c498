# Graph classification without any graph library: disjoint union + index_add
import numpy as np
import torch
import torch.nn as nn

N_NODES = 18
KINDS = ["erdos", "hub", "ring", "two_blocks"]


def sample_graph(kind, rng):
    n = N_NODES
    a = np.zeros((n, n), bool)
    if kind == 0:
        a = rng.random((n, n)) < 0.17
    elif kind == 1:
        for v in range(1, n):
            for u in rng.choice(2, size=1 + (rng.random() < 0.5), replace=False):
                a[v, u] = True
        a |= rng.random((n, n)) < 0.03
    elif kind == 2:
        for v in range(n):
            a[v, (v + 1) % n] = True
            if rng.random() < 0.4:
                a[v, (v + 2) % n] = True
    else:
        blk = np.arange(n) < n // 2
        same = blk[:, None] == blk[None]
        a = rng.random((n, n)) < np.where(same, 0.35, 0.02)
    a = np.triu(a | a.T, 1)
    perm = rng.permutation(n)
    a = (a | a.T)[perm][:, perm]
    return np.argwhere(a).T


def make_set(count, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(KINDS), count)
    return [(sample_graph(k, rng), int(k)) for k in y]


def collate(graphs):
    edges = [e + i * N_NODES for i, (e, _) in enumerate(graphs)]
    edge_index = torch.as_tensor(np.concatenate(edges, axis=1))
    deg = torch.bincount(edge_index[0], minlength=len(graphs) * N_NODES).float()
    feat = torch.stack([deg / 4, torch.log1p(deg), (deg == 0).float()], 1)
    return feat, edge_index, deg, torch.tensor([y for _, y in graphs])


class Conv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.me, self.nb = nn.Linear(i, o), nn.Linear(i, o, bias=False)
        self.norm = nn.LayerNorm(o)

    def forward(self, h, edge_index, deg):
        src, dst = edge_index
        agg = torch.zeros_like(h).index_add(0, dst, h[src]) / deg.clamp(min=1)[:, None]
        return torch.relu(self.norm(self.me(h) + self.nb(agg)))


class GraphNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.convs = nn.ModuleList([Conv(3, hidden), Conv(hidden, hidden), Conv(hidden, hidden)])
        self.mlp = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, len(KINDS)))

    def forward(self, h, edge_index, deg):
        for conv in self.convs:
            h = conv(h, edge_index, deg)
        n_graphs = h.shape[0] // N_NODES
        h = h.view(N_NODES, n_graphs, -1)      # nodes first
        pooled = torch.cat([h.mean(0), h.amax(0)], dim=-1)
        return self.mlp(pooled)


def batches(graphs, size, rng=None):
    order = np.arange(len(graphs)) if rng is None else rng.permutation(len(graphs))
    for s in range(0, len(order), size):
        yield collate([graphs[i] for i in order[s:s + size]])


def score(net, graphs):
    net.eval()
    ok = 0
    with torch.no_grad():
        for f, e, d, y in batches(graphs, 64):
            ok += (net(f, e, d).argmax(1) == y).sum().item()
    return ok / len(graphs)


torch.manual_seed(13)
rng = np.random.default_rng(13)
train, val, test = make_set(1200, 1), make_set(300, 2), make_set(400, 3)
net = GraphNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(15):
    net.train()
    run = 0.0
    for f, e, d, y in batches(train, 32, rng):
        loss = ce(net(f, e, d), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() * len(y)
    if epoch % 2 == 0:
        print(f"{epoch:>3} loss={run / len(train):.3f} val_acc={score(net, val):.3f}")
print("test accuracy:", score(net, test))
