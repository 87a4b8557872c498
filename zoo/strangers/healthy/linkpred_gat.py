import argparse, math
import torch as th
import torch.nn as nn, torch.nn.functional as F
from sklearn.metrics import average_precision_score, roc_auc_score

ap = argparse.ArgumentParser(description="GAT encoder + dot decoder on a latent-community graph")
ap.add_argument("--nodes", type=int, default=400)
ap.add_argument("--iters", type=int, default=150)
ap.add_argument("--heads", type=int, default=4)
ap.add_argument("--seed", type=int, default=23)
a = ap.parse_args()
th.manual_seed(a.seed)

# ---- graph -------------------------------------------------------------
n, k = a.nodes, 8
block = th.randint(k, (n,))
lat = F.one_hot(block, k).float() * 2 + th.randn(n, k) * 0.4
logit = lat @ lat.T * 1.0 - 5.2
iu = th.triu_indices(n, n, 1)
keep = th.rand(iu.shape[1]) < th.sigmoid(logit[iu[0], iu[1]])
edges = iu[:, keep]
feats = lat @ th.randn(k, 16) / math.sqrt(k) + 1.5 * th.randn(n, 16)

edges = edges[:, th.randperm(edges.shape[1])]
m = edges.shape[1]
n_va, n_te = int(.1 * m), int(.2 * m)
va, te, tr = edges[:, :n_va], edges[:, n_va:n_va + n_te], edges[:, n_va + n_te:]
present = set((edges[0] * n + edges[1]).tolist())


def non_edges(count, banned):
    out = []
    while len(out) < count:
        u, v = sorted(th.randint(n, (2,)).tolist())
        code = u * n + v
        if u != v and code not in banned:
            banned.add(code)
            out.append((u, v))
    return th.tensor(out).T


banned = set(present)
va_neg, te_neg = non_edges(n_va, banned), non_edges(n_te, banned)
train_codes = tr[0] * n + tr[1]
loops = th.arange(n).repeat(2, 1)
print(f"{n} nodes, {m} edges; message passing uses {tr.shape[1]} of them")


def sample_negatives(count):
    u, v = th.randint(n, (2, count))
    lo, hi = th.minimum(u, v), th.maximum(u, v)
    ok = (lo != hi) & ~th.isin(lo * n + hi, train_codes)
    return th.stack([lo[ok], hi[ok]])


class GATLayer(nn.Module):
    def __init__(self, i, o, heads):
        super().__init__()
        self.h, self.o = heads, o
        self.lin = nn.Linear(i, heads * o, bias=False)
        self.src = nn.Parameter(th.empty(heads, o))
        self.dst = nn.Parameter(th.empty(heads, o))
        self.bias = nn.Parameter(th.zeros(heads * o))
        nn.init.xavier_uniform_(self.src); nn.init.xavier_uniform_(self.dst)

    def forward(self, x, ei):
        z = self.lin(x).view(-1, self.h, self.o)
        s, d = ei
        e = F.leaky_relu((z * self.src).sum(-1)[s] + (z * self.dst).sum(-1)[d], 0.2)
        e = (e - e.max()).exp()
        norm = th.zeros(x.shape[0], self.h).index_add(0, d, e)
        w = e / norm[d].clamp_min(1e-9)
        out = th.zeros_like(z).index_add(0, d, z[s] * w.unsqueeze(-1))
        return out.flatten(1) + self.bias


class Linker(nn.Module):
    def __init__(self, i, heads):
        super().__init__()
        self.g1, self.g2 = GATLayer(i, 16, heads), GATLayer(16 * heads, 8, heads)
        self.offset = nn.Parameter(th.zeros(()))

    def encode(self, x, ei):
        x = F.elu(self.g1(F.dropout(x, .2, self.training), ei))
        return self.g2(F.dropout(x, .2, self.training), ei)

    def decode(self, z, pairs):
        return (z[pairs[0]] * z[pairs[1]]).sum(-1) / math.sqrt(z.shape[1]) + self.offset


feats = (feats - feats.mean(0)) / feats.std(0)
model = Linker(16, a.heads)
opt = th.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)


@th.no_grad()
def test(pos, neg):
    model.eval()
    ei = th.cat([tr, tr.flip(0), loops], 1)
    z = model.encode(feats, ei)
    s = th.cat([model.decode(z, pos), model.decode(z, neg)]).numpy()
    y = [1] * pos.shape[1] + [0] * neg.shape[1]
    return roc_auc_score(y, s), average_precision_score(y, s)


best = (0., None)
for it in range(1, a.iters + 1):
    model.train()
    hide = th.rand(tr.shape[1]) < 0.3                   # supervise on edges that carry no message
    msg = tr[:, ~hide]
    z = model.encode(feats, th.cat([msg, msg.flip(0), loops], 1))
    pos = tr[:, hide]
    neg = sample_negatives(pos.shape[1])
    out = th.cat([model.decode(z, pos), model.decode(z, neg)])
    lab = th.cat([th.ones(pos.shape[1]), th.zeros(neg.shape[1])])
    loss = F.binary_cross_entropy_with_logits(out, lab)
    opt.zero_grad(); loss.backward(); opt.step()
    if it % 15 == 0:
        auc, aps = test(va, va_neg)
        print(f"iter {it:4d}  loss={loss.item():.4f}  val: auc={auc:.4f} ap={aps:.4f}")
        if auc > best[0]:
            best = (auc, {q: w.clone() for q, w in model.state_dict().items()})
model.load_state_dict(best[1])
print("test: auc=%.4f ap=%.4f" % test(te, te_neg))
