# metric learning on the 8x8 digits: embed, then classify by nearest neighbour in the gallery
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(99)
MARGIN, DIM, BATCH, STEPS = 0.4, 8, 96, 800


def init_params():
    def lin(i, o):
        return (torch.randn(o, i) * (2 / i) ** 0.5).requires_grad_(), torch.zeros(o, requires_grad=True)
    w1, b1 = lin(64, 96)
    w2, b2 = lin(96, 48)
    w3, b3 = lin(48, DIM)
    return [w1, b1, w2, b2, w3, b3]


def embed(params, x):
    w1, b1, w2, b2, w3, b3 = params
    h = F.relu(F.linear(x, w1, b1))
    h = F.relu(F.linear(h, w2, b2))
    return F.normalize(F.linear(h, w3, b3), dim=1)


def sq_dist(a, b):
    return (a - b).pow(2).sum(1)


def triplet_loss(anchor, positive, negative):
    d_pos = sq_dist(anchor, positive)
    d_neg = sq_dist(anchor, negative)
    return F.relu(d_neg - d_pos + MARGIN).mean()


def draw_triplets(by_class, n):
    """three index vectors: anchor, another of its class, one of another class"""
    k = len(by_class)
    cls = torch.randint(k, (n,))
    other = (cls + torch.randint(1, k, (n,))) % k
    a, p, q = [], [], []
    for c, o in zip(cls.tolist(), other.tolist()):
        i, j = torch.randperm(len(by_class[c]))[:2].tolist()
        a.append(by_class[c][i])
        p.append(by_class[c][j])
        q.append(by_class[o][torch.randint(len(by_class[o]), (1,)).item()])
    return torch.stack(a), torch.stack(p), torch.stack(q)


@torch.no_grad()
def recall_at_1(params, gallery, gallery_y, query, query_y):
    sim = embed(params, query) @ embed(params, gallery).T
    return (gallery_y[sim.argmax(1)] == query_y).float().mean().item()


@torch.no_grad()
def class_gap(params, x, y):
    """mean similarity inside classes minus across classes, self pairs left out"""
    z = embed(params, x)
    sim = z @ z.T
    same = y[:, None] == y[None, :]
    off = ~torch.eye(len(y), dtype=torch.bool)
    return (sim[same & off].mean() - sim[~same].mean()).item()


X, Y = load_digits(return_X_y=True)
X_tr, X_te, Y_tr, Y_te = train_test_split(X, Y, test_size=0.3, stratify=Y, random_state=0)
mu, sd = X_tr.mean(), X_tr.std()
X_tr = torch.tensor((X_tr - mu) / sd, dtype=torch.float32)
X_te = torch.tensor((X_te - mu) / sd, dtype=torch.float32)
Y_tr, Y_te = torch.tensor(Y_tr), torch.tensor(Y_te)
by_class = [torch.nonzero(Y_tr == c).flatten() for c in range(10)]

params = init_params()
opt = torch.optim.Adam(params, lr=1e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=STEPS)

window = []
for step in range(1, STEPS + 1):
    a, p, q = draw_triplets(by_class, BATCH)
    loss = triplet_loss(embed(params, X_tr[a]), embed(params, X_tr[p]), embed(params, X_tr[q]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    window.append(loss.item())
    if step % 100 == 0:
        print(f"step {step:4d}  triplet loss {sum(window) / len(window):.4f}")
        window.clear()

print(f"held-out recall@1 {recall_at_1(params, X_tr, Y_tr, X_te, Y_te):.4f}   similarity gap {class_gap(params, X_te, Y_te):+.4f}")
