"""Binary Tree-LSTM evaluating random boolean expressions; tested on deeper trees than trained."""
import random
from collections import Counter
import torch
from torch import nn

OPS = ["and", "or", "xor", "nand"]
FN = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "nand": lambda a, b: 1 - (a & b)}


def grow(rnd, leaves):
    """A tree is 0/1 or (op, left, right)."""
    if leaves == 1:
        return rnd.randint(0, 1)
    k = rnd.randint(1, leaves - 1)
    return rnd.choice(OPS), grow(rnd, k), grow(rnd, leaves - k)


def value(t):
    return t if isinstance(t, int) else FN[t[0]](value(t[1]), value(t[2]))


class Forest:
    """Flattens a list of trees into levels so nodes at one level are computed together."""

    def __init__(self, trees):
        self.levels, self.leaf, self.roots = [], [], []
        for t in trees:
            self.roots.append(self._add(t))
        self.truth = torch.tensor([value(t) for t in trees], dtype=torch.float32)

    def _add(self, t):
        if isinstance(t, int):
            self.leaf.append(t)
            return (0, len(self.leaf) - 1)
        l, r = self._add(t[1]), self._add(t[2])
        lev = max(l[0], r[0]) + 1
        while len(self.levels) < lev:
            self.levels.append([])
        self.levels[lev - 1].append((OPS.index(t[0]), l, r))
        return (lev, len(self.levels[lev - 1]) - 1)

    def offsets(self):
        off, out = 0, []
        for n in [len(self.leaf)] + [len(l) for l in self.levels]:
            out.append(off)
            off += n
        return out


class TreeLSTM(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.d = d
        self.leaf = nn.Embedding(2, d)
        self.op = nn.Embedding(len(OPS), d)
        self.gates = nn.Linear(3 * d, 5 * d)
        self.read = nn.Linear(d, 1)

    def forward(self, f):
        off = f.offsets()
        h = torch.tanh(self.leaf(torch.tensor(f.leaf)))
        c = torch.zeros_like(h)
        for lev in f.levels:
            op = self.op(torch.tensor([n[0] for n in lev]))
            li = torch.tensor([off[n[1][0]] + n[1][1] for n in lev])
            ri = torch.tensor([off[n[2][0]] + n[2][1] for n in lev])
            i, o, u, fl, fr = self.gates(torch.cat([op, h[li], h[ri]], 1)).chunk(5, 1)
            cn = i.sigmoid() * u.tanh() + (fl + 1).sigmoid() * c[li] + (fr + 1).sigmoid() * c[ri]
            hn = o.sigmoid() * cn.tanh()
            h, c = torch.cat([h, hn]), torch.cat([c, cn])
        root = torch.tensor([off[a] + b for a, b in f.roots])
        return self.read(h[root]).squeeze(1)


def distinct(rnd, n, lo, hi, forbidden):
    out = []
    while len(out) < n:
        t = grow(rnd, rnd.randint(lo, hi))
        if t not in forbidden:
            forbidden.add(t)
            out.append(t)
    return out


def accuracy(net, forest):
    with torch.no_grad():
        return ((net(forest) > 0).float() == forest.truth).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(42)
    rnd = random.Random(42)
    used = set()
    valid = distinct(rnd, 400, 4, 8, used)
    train = distinct(rnd, 3000, 2, 8, used)
    deep = distinct(rnd, 500, 14, 20, used)
    print("label balance:", {k: Counter(value(t) for t in v) for k, v in (("train", train), ("valid", valid), ("deep", deep))})
    chunks = [Forest(train[i:i + 50]) for i in range(0, len(train), 50)]
    fv, fd = Forest(valid), Forest(deep)
    net = TreeLSTM()
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [7, 9], gamma=0.3)
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(10):
        rnd.shuffle(chunks)
        s = 0.0
        for f in chunks:
            loss = bce(net(f), f.truth)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            s += loss.item()
        sched.step()
        print(f"sweep {epoch + 1:2d}  bce {s / len(chunks):.4f}  valid {accuracy(net, fv):.3f}")
    print(f"unseen trees, same size : {accuracy(net, fv):.3f}")
    print(f"unseen trees, 14-20 leaves: {accuracy(net, fd):.3f}")
