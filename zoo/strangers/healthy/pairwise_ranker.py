"""RankNet on query groups: all pairs of documents of a query are compared by broadcasting their scores."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Settings:
    queries: int = 700
    docs: int = 20
    features: int = 10
    epochs: int = 14
    queries_per_step: int = 10
    lr: float = 2e-3
    seed: int = 6


def make_queries(s):
    g = torch.Generator().manual_seed(s.seed)
    x = torch.randn(s.queries, s.docs, s.features, generator=g)
    utility = 1.5 * x[..., 0] + torch.relu(x[..., 1]) - 0.8 * x[..., 2] * x[..., 3] + 0.3 * torch.randn(s.queries, s.docs, generator=g)
    rank = utility.argsort(dim=1).argsort(dim=1)
    grade = torch.bucketize(rank, torch.tensor([9, 14, 17, 18]))
    return x, grade


class Scorer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.inp = nn.Linear(d, 48)
        self.mid = nn.Linear(48, 48)
        self.gate = nn.Parameter(torch.zeros(48))
        self.out = nn.Linear(48, 1, bias=False)
        nn.init.zeros_(self.out.weight)

    def forward(self, x):
        h = torch.nn.functional.gelu(self.inp(x))
        h = h + self.gate * torch.nn.functional.gelu(self.mid(h))
        return self.out(h).squeeze(-1)


def ranknet(score, grade):
    diff = score.unsqueeze(2) - score.unsqueeze(1)
    better = grade.unsqueeze(2) > grade.unsqueeze(1)
    return torch.nn.functional.softplus(-diff)[better].mean()


def ndcg(score, grade, k=5):
    discount = 1 / torch.log2(torch.arange(k) + 2.0)
    gain = 2.0 ** grade - 1
    got = gain.gather(1, score.argsort(dim=1, descending=True)[:, :k])
    best = gain.sort(dim=1, descending=True).values[:, :k]
    return ((got * discount).sum(1) / (best * discount).sum(1)).mean().item()


def main():
    s = Settings()
    torch.manual_seed(s.seed)
    x, grade = make_queries(s)
    cut = int(0.8 * s.queries)
    train_x, train_g, test_x, test_g = x[:cut], grade[:cut], x[cut:], grade[cut:]
    model = Scorer(s.features)
    opt = torch.optim.AdamW(model.parameters(), lr=s.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, s.epochs)
    for epoch in range(s.epochs):
        model.train()
        losses = []
        for q in torch.randperm(cut).split(s.queries_per_step):
            loss = ranknet(model(train_x[q]), train_g[q])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        model.eval()
        with torch.no_grad():
            train_score, test_score = model(train_x), model(test_x)
            print(f"epoch {epoch:2d} pair loss {np.mean(losses):.4f} test pair loss {ranknet(test_score, test_g).item():.4f} "
                  f"NDCG@5 train {ndcg(train_score, train_g):.4f} test {ndcg(test_score, test_g):.4f}")


main()
