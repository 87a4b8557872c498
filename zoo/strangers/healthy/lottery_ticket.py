"""Iterative magnitude pruning with rewinding (lottery tickets) on covertype-like tabular blobs."""
import torch
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def load():
    X, y = make_classification(9000, 40, n_informative=14, n_redundant=6, n_classes=5, n_clusters_per_class=2,
                               class_sep=1.6, flip_y=0.01, random_state=12)
    X1, Xte, y1, yte = train_test_split(X, y, test_size=2000, stratify=y, random_state=12)
    Xtr, Xva, ytr, yva = train_test_split(X1, y1, test_size=1000, stratify=y1, random_state=12)
    sc = StandardScaler().fit(Xtr)
    t = lambda a, b: (torch.tensor(sc.transform(a), dtype=torch.float32), torch.tensor(b))
    return t(Xtr, ytr), t(Xva, yva), t(Xte, yte)


def new_net():
    return torch.nn.ModuleList([torch.nn.Linear(40, 200), torch.nn.Linear(200, 100), torch.nn.Linear(100, 5)])


def run_net(layers, masks, x):
    for i, (l, m) in enumerate(zip(layers, masks)):
        x = F.linear(x, l.weight * m, l.bias)
        if i < 2:
            x = x.relu()
    return x


def train(layers, masks, data, epochs, capture_at=None):
    X, y = data
    opt = torch.optim.Adam(layers.parameters(), lr=1.5e-3)
    gen = torch.Generator().manual_seed(4)
    snapshot, it, avg = None, 0, 0.0
    for _ in range(epochs):
        avg = 0.0
        for b in torch.randperm(len(X), generator=gen).split(125):
            if it == capture_at:
                snapshot = {k: v.clone() for k, v in layers.state_dict().items()}
            loss = F.cross_entropy(run_net(layers, masks, X[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            avg += loss.item() * len(b) / len(X)
            it += 1
    return avg, snapshot


def acc(layers, masks, data):
    with torch.no_grad():
        return (run_net(layers, masks, data[0]).argmax(1) == data[1]).float().mean().item()


def prune(layers, masks, frac):
    out = []
    for i, (l, m) in enumerate(zip(layers, masks)):
        f = frac / 2 if i == 2 else frac
        alive = (l.weight.detach().abs())[m.bool()]
        thr = alive.kthvalue(max(1, int(f * alive.numel()))).values
        out.append(((l.weight.detach().abs() > thr) & m.bool()).float())
    return out


def density(masks):
    return (sum(m.sum() for m in masks) / sum(m.numel() for m in masks)).item()


torch.manual_seed(12)
tr, va, te = load()
net = new_net()
masks = [torch.ones_like(l.weight) for l in net]
history = []
rewind = None
for level in range(6):
    loss, snap = train(net, masks, tr, epochs=8, capture_at=50 if level == 0 else None)
    rewind = snap if level == 0 else rewind
    v = acc(net, masks, va)
    history.append((density(masks), v, acc(net, masks, te)))
    print(f"level {level}: {density(masks):6.1%} weights alive   train CE {loss:.4f}   valid {v:.4f}")
    if level < 5:
        masks = prune(net, masks, 0.45)
        net.load_state_dict(rewind)

ticket_density, ticket_v, ticket_te = history[-1]
torch.manual_seed(500)
fresh = new_net()
shuffled = [m.flatten()[torch.randperm(m.numel())].view_as(m) for m in masks]
train(fresh, shuffled, tr, epochs=8)
print()
print(f"dense network       test {history[0][2]:.4f}")
print(f"ticket at {ticket_density:5.1%}     test {ticket_te:.4f}")
print(f"random sparse net   test {acc(fresh, shuffled, te):.4f}")
