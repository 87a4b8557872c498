"""Node classification on a synthetic citation graph, two hand-written graph convolutions.

Full-batch and transductive: all nodes take part in message passing, only the labels of the
training nodes enter the loss.
"""
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from torch import nn

torch.manual_seed(31)
rng = np.random.default_rng(31)


def citation_graph(n=900, k=5, words=120, p_in=0.028, p_out=0.0035):
    y = rng.integers(0, k, n)
    prob = np.where(y[:, None] == y[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, 1)
    src, dst = np.nonzero(upper)
    topic = rng.random((k, words)) < 0.12
    rate = 0.03 + 0.09 * topic[y]
    x = (rng.random((n, words)) < rate).astype(np.float32)
    x /= np.maximum(x.sum(1, keepdims=True), 1)
    return torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(np.stack([src, dst]))


def normalised_adjacency(edges, n):
    loops = torch.arange(n).repeat(2, 1)
    both = torch.cat([edges, edges.flip(0), loops], dim=1)
    deg = torch.bincount(both[0], minlength=n).float()
    w = deg[both[0]].rsqrt() * deg[both[1]].rsqrt()
    return torch.sparse_coo_tensor(both, w, (n, n), check_invariants=False).coalesce()


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, adj, h):
        return torch.sparse.mm(adj, self.lin(h)) + self.bias


class GCN(nn.Module):
    def __init__(self, d, k, hidden=32):
        super().__init__()
        self.c1, self.c2 = GraphConv(d, hidden), GraphConv(hidden, k)

    def forward(self, adj, x):
        h = F.dropout(x, 0.4, self.training)
        h = F.relu(self.c1(adj, h))
        h = F.dropout(h, 0.4, self.training)
        return self.c2(adj, h)


x, y, edges = citation_graph()
n, k = len(y), int(y.max()) + 1
adj = normalised_adjacency(edges, n)

perm = torch.from_numpy(rng.permutation(n))
train, val, test = perm[:100], perm[100:300], perm[300:]

model = GCN(x.size(1), k)
opt = torch.optim.Adam([
    {"params": model.c1.parameters(), "weight_decay": 5e-4},
    {"params": model.c2.parameters(), "weight_decay": 0.0},
], lr=0.01)

best_val, best_test = 0.0, 0.0
for epoch in range(200):
    model.train()
    loss = F.cross_entropy(model(adj, x)[train], y[train])
    opt.zero_grad()
    loss.backward()
    opt.step()

    model.eval()
    with torch.no_grad():
        pred = model(adj, x).argmax(1)
    val_acc = (pred[val] == y[val]).float().mean().item()
    if val_acc > best_val:
        best_val = val_acc
        best_test = (pred[test] == y[test]).float().mean().item()
    if epoch % 40 == 0:
        print(f"{epoch:3d}  loss {loss.item():.4f}  val {val_acc:.3f}")

text_only = LogisticRegression(C=100, max_iter=1000).fit(x[train].numpy(), y[train].numpy())
ref = text_only.score(x[test].numpy(), y[test].numpy())
majority = (y[test] == y[train].bincount().argmax()).float().mean().item()
print(f"{n} nodes, {edges.size(1)} edges, {len(train)} labels")
print(f"test accuracy at best validation epoch {best_test:.3f} | words only {ref:.3f} | majority {majority:.3f}")
