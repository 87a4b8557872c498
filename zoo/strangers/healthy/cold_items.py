"""Recommending items nobody has clicked yet.

Users are known (one embedding row each), items are described by their content only, so an item that arrives tomorrow can be scored today.
The split is by ITEM: 60 % of the items train, 15 % validate, 25 % are "tomorrow's" items.  The same users appear everywhere - that is the task.

Implementation notes
- user rows live in a sparse nn.Embedding: SparseAdam touches only rows of the current batch; the item tower has its own AdamW
- BPR with one fresh negative per positive, drawn from the items of the same part
"""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Cfg:
    users: int = 500
    items: int = 900
    content: int = 20
    taste: int = 5
    dim: int = 12
    epochs: int = 12
    batch: int = 1024
    lr_user: float = 0.01
    lr_item: float = 3e-3
    shrink: float = 0.02
    seed: int = 21


def build_world(cfg):
    """content -> (non-linear) quality factors; user taste * factors + noise -> clicks"""
    rng = np.random.default_rng(cfg.seed)
    content = rng.normal(size=(cfg.items, cfg.content))
    w = rng.normal(size=(cfg.content, cfg.taste)) / np.sqrt(cfg.content)
    factors = np.tanh(1.5 * content @ w)
    taste = rng.normal(size=(cfg.users, cfg.taste))
    popularity = 0.5 * content[:, 0]
    affinity = taste @ factors.T + popularity
    clicks = affinity + rng.logistic(0, 0.6, affinity.shape) > 2.0
    return content.astype(np.float32), clicks, affinity


class TwoTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.dim, sparse=True)
        nn.init.normal_(self.user.weight, std=0.1)
        self.item = nn.Sequential(nn.Linear(cfg.content, 64), nn.ReLU(), nn.Linear(64, cfg.dim + 1))

    def forward(self, u, content):
        v = self.item(content)
        return (self.user(u) * v[:, :-1]).sum(-1) + v[:, -1]

    def all_scores(self, content):
        v = self.item(content)
        return self.user.weight @ v[:, :-1].T + v[:, -1]


class Part:
    """clicks of all users on one group of items"""

    def __init__(self, name, ids, content, clicks, mean, std):
        self.name = name
        self.x = torch.from_numpy((content[ids] - mean) / std)
        self.c = torch.from_numpy(clicks[:, ids])
        self.pos = self.c.nonzero()                       # (n, 2): user, local item

    def negatives(self, users, gen):
        """uniform over the part's items, clicked ones drawn again"""
        neg = torch.randint(len(self.x), (len(users),), generator=gen)
        for _ in range(50):
            bad = self.c[users, neg]
            if not bad.any():
                break
            neg[bad] = torch.randint(len(self.x), (int(bad.sum()),), generator=gen)
        return neg


def bpr(model, part, rows, gen):
    u, i = part.pos[rows].T
    j = part.negatives(u, gen)
    return -F.logsigmoid(model(u, part.x[i]) - model(u, part.x[j])).mean(), u


@torch.no_grad()
def measure(model, part, k=10):
    model.eval()
    gen = torch.Generator().manual_seed(0)
    loss = bpr(model, part, torch.arange(len(part.pos)), gen)[0].item()
    s = model.all_scores(part.x)
    order = s.argsort(1)
    ranks = torch.empty_like(order).scatter_(1, order, torch.arange(s.shape[1]).expand_as(order)) + 1
    npos = part.c.sum(1)
    ok = (npos > 0) & (npos < s.shape[1])
    npos = npos[ok].double()
    auc = ((ranks * part.c).sum(1)[ok] - npos * (npos + 1) / 2) / (npos * (s.shape[1] - npos))
    hit = part.c.gather(1, s.topk(k, 1).indices)[ok].double().mean()
    return loss, auc.mean().item(), hit.item()


def main(cfg=Cfg()):
    torch.manual_seed(cfg.seed)
    content, clicks, affinity = build_world(cfg)
    perm = np.random.default_rng(cfg.seed + 1).permutation(cfg.items)
    a, b = int(0.60 * cfg.items), int(0.75 * cfg.items)
    groups = dict(train=perm[:a], val=perm[a:b], cold=perm[b:])
    mean, std = content[groups["train"]].mean(0), content[groups["train"]].std(0)
    parts = {n: Part(n, g, content, clicks, mean, std) for n, g in groups.items()}
    for p in parts.values():
        print(f"{p.name:5s} items {len(p.x):4d}  clicks {len(p.pos):6d}  click rate {p.c.float().mean():.3f}")

    model = TwoTower(cfg)
    optims = [torch.optim.SparseAdam(list(model.user.parameters()), lr=cfg.lr_user),
              torch.optim.AdamW(model.item.parameters(), lr=cfg.lr_item, weight_decay=0.05)]
    plans = [torch.optim.lr_scheduler.CosineAnnealingLR(o, cfg.epochs, eta_min=0.02 * o.param_groups[0]["lr"]) for o in optims]
    gen = torch.Generator().manual_seed(cfg.seed)
    train = parts["train"]
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        tot = 0.0
        for rows in torch.randperm(len(train.pos), generator=gen).split(cfg.batch):
            for o in optims:
                o.zero_grad()
            rank, u = bpr(model, train, rows, gen)
            reg = cfg.shrink * model.user(u).square().sum(1).mean()     # weight decay by hand: SparseAdam has none
            (rank + reg).backward()
            for o in optims:
                o.step()
            tot += rank.item() * len(rows)
        for p in plans:
            p.step()
        vl, va, vh = measure(model, parts["val"])
        if epoch % 2 == 0 or epoch == 1:
            print(f"epoch {epoch:2d}  bpr train {tot / len(train.pos):.4f}  val {vl:.4f}  val AUC {va:.4f}  P@10 {vh:.3f}")

    l, auc, hit = measure(model, parts["cold"])
    cold = parts["cold"]
    ideal = torch.from_numpy(affinity[:, groups["cold"]])
    best = cold.c.gather(1, ideal.topk(10, 1).indices).double().mean().item()
    pop = train.c.float().mean().item()
    print(f"\ncold items: bpr {l:.4f}  AUC {auc:.4f}  P@10 {hit:.3f}   (random {cold.c.float().mean():.3f}, knowing the true affinity {best:.3f}; train click rate {pop:.3f})")


if __name__ == "__main__":
    main()
