# Listwise learning to rank (ListNet, top-one probabilities) on simulated web-search queries.
# Written with functional torch: the scorer is a dict of tensors and a function.
import torch
import torch.nn.functional as F

N_QUERIES, DOCS, FEATS = 900, 24, 18
HIDDEN = 48
EPOCHS = 14
BATCH = 32
torch.manual_seed(2024)


def make_queries(n, g):
    """Each query has its own offset; relevance is graded 0..4 from a noisy non-linear utility."""
    w1 = torch.randn(FEATS, 6, generator=g) / FEATS ** 0.5
    w2 = torch.randn(6, generator=g)
    shift = torch.randn(n, 1, FEATS, generator=g) * 0.5
    x = torch.randn(n, DOCS, FEATS, generator=g) + shift
    utility = torch.tanh(1.5 * (x - shift) @ w1) @ w2 + 0.25 * torch.randn(n, DOCS, generator=g)
    pct = utility.argsort(-1).argsort(-1).float() / (DOCS - 1)
    rel = torch.bucketize(pct, torch.tensor([0.50, 0.72, 0.86, 0.95]))
    return x, rel


def init_scorer(g):
    def dense(i, o):
        return (torch.randn(i, o, generator=g) * (2.0 / i) ** 0.5).requires_grad_()

    return {
        "w0": dense(FEATS, HIDDEN), "b0": torch.zeros(HIDDEN, requires_grad=True),
        "w1": dense(HIDDEN, HIDDEN), "b1": torch.zeros(HIDDEN, requires_grad=True),
        "w2": dense(HIDDEN, 1),
    }


def score(params, x):
    x = x - x.mean(1, keepdim=True)
    h = F.relu(x @ params["w0"] + params["b0"])
    h = F.relu(h @ params["w1"] + params["b1"])
    return (h @ params["w2"]).squeeze(-1)


def listnet(scores, rel):
    target = F.softmax(rel.float(), dim=-1)
    return -(target * F.log_softmax(scores, dim=-1)).sum(-1).mean()


def dcg(gains, k):
    discount = 1.0 / torch.log2(torch.arange(2, k + 2, dtype=torch.float32))
    return ((2.0 ** gains[:, :k].float() - 1.0) * discount).sum(-1)


def ndcg(scores, rel, k=10):
    ranking = scores.argsort(dim=-1)
    got = dcg(rel.gather(-1, ranking), k)
    best = dcg(rel.sort(dim=-1, descending=True).values, k)
    return (got / best.clamp_min(1e-9)).mean().item()


def evaluate(params, x, rel):
    with torch.no_grad():
        s = score(params, x)
        return listnet(s, rel).item(), ndcg(s, rel)


gen = torch.Generator().manual_seed(5)
X, R = make_queries(N_QUERIES, gen)
train_x, train_r = X[:600], R[:600]
val_x, val_r = X[600:750], R[600:750]
test_x, test_r = X[750:], R[750:]

params = init_scorer(gen)
opt = torch.optim.Adam(params.values(), lr=2e-3, weight_decay=1e-4)

l0, n0 = evaluate(params, val_x, val_r)
print(f"untrained: val loss {l0:.4f}  ndcg@10 {n0:.4f}")

for epoch in range(EPOCHS):
    order = torch.randperm(len(train_x), generator=gen)
    running = 0.0
    for start in range(0, len(order), BATCH):
        idx = order[start:start + BATCH]
        loss = listnet(score(params, train_x[idx]), train_r[idx])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    vl, vn = evaluate(params, val_x, val_r)
    print(f"[{epoch + 1:02d}/{EPOCHS}] train {running / len(order):.4f} | val {vl:.4f} | val ndcg@10 {vn:.4f}")

tl, tn = evaluate(params, test_x, test_r)
print(f"test loss {tl:.4f}  ndcg@10 {tn:.4f}  ndcg@10 of random order "
      f"{ndcg(torch.rand(test_r.shape, generator=gen), test_r):.4f}")
