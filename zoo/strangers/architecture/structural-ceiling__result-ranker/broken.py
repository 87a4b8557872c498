import argparse
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

# Learning to rank search results.  Every query comes with N_DOCS candidates; graded relevance 0..4.
# The scorer looks at a candidate together with the list it is shown in.
N_DOCS, D_DOC, D_QUERY = 10, 12, 6


class QueryLists(Dataset):
    def __init__(self, n_queries, seed):
        rng = np.random.default_rng(seed)
        world = np.random.default_rng(2024)
        w_quality = world.normal(0, 1, D_DOC) / np.sqrt(D_DOC)
        match = world.normal(0, 1, (D_QUERY, D_DOC)) / np.sqrt(D_QUERY * D_DOC)
        w_easy = world.normal(0, 1, D_QUERY) / np.sqrt(D_QUERY)

        q = rng.normal(size=(n_queries, D_QUERY))
        d = rng.normal(size=(n_queries, N_DOCS, D_DOC))
        latent = (d @ w_quality + 1.6 * np.einsum("qi,ij,qnj->qn", q, match, d)
                  + 1.0 * (q @ w_easy)[:, None] + 0.25 * rng.normal(size=(n_queries, N_DOCS)))
        rel = np.digitize(latent, [-0.6, 0.4, 1.3, 2.3])
        self.q = torch.from_numpy(q).float()
        self.d = torch.from_numpy(d).float()
        self.rel = torch.from_numpy(rel).float()

    def __len__(self):
        return len(self.q)

    def __getitem__(self, i):
        return self.q[i], self.d[i], self.rel[i]


class ListContext(nn.Module):
    """Adds a summary of the whole result list to every candidate."""

    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, h):
        ctx = h.mean(dim=1, keepdim=True).expand_as(h)
        return self.norm(ctx + self.mix(ctx))


class Ranker(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.doc = nn.Linear(D_DOC, dim)
        self.query = nn.Linear(D_QUERY, dim)
        self.encode = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())
        self.context = ListContext(dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, q, d):
        hq = torch.relu(self.query(q)).unsqueeze(1).expand(-1, d.size(1), -1)
        hd = torch.relu(self.doc(d))
        h = self.encode(torch.cat([hd, hq], dim=-1))
        h = self.context(h)
        return self.out(h).squeeze(-1)


def dcg(rel_in_order, k):
    gains = 2.0 ** rel_in_order[:, :k] - 1
    return (gains / torch.log2(torch.arange(k) + 2.0)).sum(1)


@torch.no_grad()
def evaluate(model, ds, k=5):
    model.eval()
    scores = model(ds.q, ds.d)
    order = scores.argsort(dim=1, descending=True, stable=True)
    ideal = dcg(ds.rel.sort(dim=1, descending=True).values, k)
    got = dcg(ds.rel.gather(1, order), k)
    keep = ideal > 0
    model.train()
    return {"mse": (scores - ds.rel).pow(2).mean().item(), f"ndcg@{k}": (got[keep] / ideal[keep]).mean().item()}


def parse():
    p = argparse.ArgumentParser(description="list-aware result ranker")
    p.add_argument("--queries", type=int, default=3000)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--bs", type=int, default=50)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    train_ds, test_ds = QueryLists(args.queries, seed=10), QueryLists(800, seed=11)
    loader = DataLoader(train_ds, batch_size=args.bs, shuffle=True, drop_last=True)
    model = Ranker()
    with torch.no_grad():
        model.out.bias.fill_(train_ds.rel.mean())
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=args.epochs * len(loader))
    criterion = nn.MSELoss()

    print("params:", sum(p.numel() for p in model.parameters()))
    for epoch in range(args.epochs):
        for step, (q, d, rel) in enumerate(loader):
            loss = criterion(model(q, d), rel)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            if step % 30 == 0:
                print(f"  ep {epoch} it {step:3d} mse {loss.item():.4f}")
        if epoch % 4 == 3:
            print(f"epoch {epoch}: train", {k: round(v, 4) for k, v in evaluate(model, train_ds).items()})
    print("test:", {k: round(v, 4) for k, v in evaluate(model, test_ds).items()})
