"""Two-tower retrieval: bring a query next to the title of the product that was bought."""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from pairs import Q_VOCAB, T_VOCAB, load_pairs


class Tower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.words = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, ids):
        return self.mlp(self.words(ids))


class Matcher(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query_tower = Tower(Q_VOCAB, dim)
        self.title_tower = Tower(T_VOCAB, dim)
        self.log_temp = nn.Parameter(torch.tensor(math.log(8.0)))

    @torch.no_grad()
    def embed(self, query_ids, title_ids):
        """Unit vectors, ready for the index."""
        q = F.normalize(self.query_tower(query_ids), dim=-1)
        t = F.normalize(self.title_tower(title_ids), dim=-1)
        return q, t

    def forward(self, query_ids, title_ids):
        q, t = self.embed(query_ids, title_ids)
        return self.log_temp.exp().clamp(max=50.0) * q @ t.T


def contrastive_loss(scores):
    target = torch.arange(len(scores))
    return 0.5 * (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target))


@torch.no_grad()
def retrieval(model, queries, titles):
    model.eval()
    scores = model(queries, titles)
    rank = (scores > scores.diagonal()[:, None]).sum(1)
    return contrastive_loss(scores).item(), (rank == 0).float().mean().item(), (rank < 10).float().mean().item()


def train(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    parts = load_pairs(args.seed)
    q_tr, t_tr = parts["train"]
    model = Matcher(args.dim)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs, eta_min=args.lr / 20)
    for epoch in range(1, args.epochs + 1):
        model.train()
        run, n = 0.0, 0
        for idx in torch.randperm(len(q_tr)).split(args.batch):
            if len(idx) < args.batch:
                continue
            opt.zero_grad()
            loss = contrastive_loss(model(q_tr[idx], t_tr[idx]))
            loss.backward()
            opt.step()
            run += loss.item()
            n += 1
        sched.step()
        vl, r1, r10 = retrieval(model, *parts["valid"])
        print(f"epoch {epoch:2d}  train loss {run / n:.4f}  valid loss {vl:.4f}  R@1 {r1:.3f}  R@10 {r10:.3f}")
    _, r1, r10 = retrieval(model, *parts["test"])
    print(f"test R@1 {r1:.3f}  R@10 {r10:.3f} over {len(parts['test'][0])} products")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--dim", type=int, default=32)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--epochs", type=int, default=16)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--seed", type=int, default=4)
    train(ap.parse_args())
