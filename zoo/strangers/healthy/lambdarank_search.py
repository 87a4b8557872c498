#!/usr/bin/env python
# LambdaRank from scratch for a synthetic document search log.
import numpy as np, torch

RNG = np.random.RandomState(20)
torch.manual_seed(20)


def synth_queries(n, rng, W):
    """Return features [n, D, F], grades [n, D] (0..4), mask [n, D] with variable list lengths."""
    D, Fdim = 30, 20
    X = rng.randn(n, D, Fdim).astype("f4")
    X += rng.randn(n, 1, Fdim).astype("f4") * 0.7           # query-level shift shared by all docs
    util = np.tanh(X @ W[0]) * 1.5 + (X @ W[1]) * np.maximum(X @ W[2], 0) + 0.35 * rng.randn(n, D)
    length = rng.randint(12, D + 1, n)
    mask = np.arange(D)[None] < length[:, None]
    grades = np.digitize(util, CUTS).astype("f4")
    return torch.tensor(X), torch.tensor(grades) * torch.tensor(mask), torch.tensor(mask)


W = RNG.randn(3, 20) / np.sqrt(20)
CUTS = [0.3, 1.0, 1.7, 2.4]
tr, va, te = (synth_queries(n, RNG, W) for n in (1200, 200, 400))

m = tr[2]
mean, std = tr[0][m].mean(0), tr[0][m].std(0)
tr, va, te = (((x - mean) / std, g, k) for x, g, k in (tr, va, te))


def dcg_weights(n):
    return 1 / torch.log2(torch.arange(n) + 2.0)


def ndcg(scores, grades, mask, k=10):
    s = scores.masked_fill(~mask, -1e9)
    order = s.argsort(1, descending=True)
    gain = (2 ** grades - 1) * mask
    got = (gain.gather(1, order)[:, :k] * dcg_weights(k)).sum(1)
    ideal = (gain.sort(1, descending=True)[0][:, :k] * dcg_weights(k)).sum(1)
    ok = ideal > 0
    return (got[ok] / ideal[ok]).mean().item()


def lambda_loss(scores, grades, mask, sigma=1.0):
    with torch.no_grad():
        s = scores.masked_fill(~mask, -1e9)
        rank = s.argsort(1, descending=True).argsort(1)
        disc = 1 / torch.log2(rank + 2.0)
        gain = (2 ** grades - 1) * mask
        ideal = (gain.sort(1, descending=True)[0] * dcg_weights(s.shape[1])).sum(1).clamp_min(1e-6)
        dz = (gain[:, :, None] - gain[:, None, :]).abs() * (disc[:, :, None] - disc[:, None, :]).abs()
        dz = dz / ideal[:, None, None]
        better = (grades[:, :, None] > grades[:, None, :]) & mask[:, :, None] & mask[:, None, :]
        w = dz * better
    diff = scores[:, :, None] - scores[:, None, :]
    return (w * torch.nn.functional.softplus(-sigma * diff)).sum((1, 2)).mean()


class Scorer(torch.nn.Module):
    def __init__(self, f=20, h=64):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(f, h), torch.nn.GELU(),
            torch.nn.Linear(h, h), torch.nn.GELU(),
            torch.nn.Linear(h, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


model = Scorer()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
EPOCHS, BS = 30, 50
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)

with torch.no_grad():
    print("NDCG@10 random order  valid = %.4f" % ndcg(torch.rand(va[1].shape), va[1], va[2]))
champ = (0, None, None)
print("epoch |  lambda loss |  train@10 |  valid@10")
for ep in range(1, EPOCHS + 1):
    perm = torch.randperm(len(tr[0]))
    acc = 0.
    for i in range(0, len(perm), BS):
        b = perm[i:i + BS]
        loss = lambda_loss(model(tr[0][b]), tr[1][b], tr[2][b])
        opt.zero_grad(); loss.backward(); opt.step()
        acc += loss.item() * len(b)
    sched.step()
    with torch.no_grad():
        nt, nv = (ndcg(model(d[0]), d[1], d[2]) for d in (tr, va))
    if nv > champ[0]:
        champ = (nv, ep, {k: v.clone() for k, v in model.state_dict().items()})
    if ep % 3 == 0 or ep == 1:
        print(f"{ep:5d} | {acc/len(perm):12.4f} | {nt:9.4f} | {nv:9.4f}")
model.load_state_dict(champ[2])
with torch.no_grad():
    s = model(te[0])
    print(f"best epoch {champ[1]}: test NDCG@1 {ndcg(s, te[1], te[2], 1):.4f}  @5 {ndcg(s, te[1], te[2], 5):.4f}  @10 {ndcg(s, te[1], te[2], 10):.4f}")
