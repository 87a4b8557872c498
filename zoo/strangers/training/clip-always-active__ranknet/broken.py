"""RankNet on synthetic search results: each query has a list of documents with graded relevance."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    n_queries: int = 600
    docs_per_query: int = 20
    n_features: int = 12
    hidden: int = 48
    lr: float = 0.05
    momentum: float = 0.9
    max_grad_norm: float = 0.002
    queries_per_batch: int = 10
    epochs: int = 20
    seed: int = 5


def make_queries(cfg, rng):
    X = rng.normal(size=(cfg.n_queries, cfg.docs_per_query, cfg.n_features))
    X += 0.5 * rng.normal(size=(cfg.n_queries, 1, cfg.n_features))
    w1, w2 = rng.normal(size=cfg.n_features), rng.normal(size=cfg.n_features)
    utility = np.tanh(X @ w1 / 3) + 0.8 * np.abs(X @ w2) / 3 + 0.7 * X[..., 0] * X[..., 1]
    utility += 0.1 * rng.normal(size=utility.shape)
    order = utility.argsort(1).argsort(1)
    grades = order * 5 // cfg.docs_per_query
    return torch.tensor(X, dtype=torch.float32), torch.tensor(grades)


class Scorer(nn.Module):
    def __init__(self, n_features, hidden):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, docs):
        return self.body(docs).squeeze(-1)


def pairwise_loss(scores, grades):
    margin = scores[:, :, None] - scores[:, None, :]
    better = grades[:, :, None] > grades[:, None, :]
    return F.softplus(-margin)[better].mean()


def ndcg(scores, grades, k=10):
    gains = 2.0 ** grades.double() - 1
    discount = 1 / torch.log2(torch.arange(k, dtype=torch.float64) + 2)
    picked = gains.gather(1, scores.argsort(1, descending=True)[:, :k])
    ideal = gains.sort(1, descending=True).values[:, :k]
    return ((picked * discount).sum(1) / (ideal * discount).sum(1)).mean().item()


class RankTrainer:
    def __init__(self, cfg, model):
        self.cfg, self.model = cfg, model
        self.opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)

    def train_epoch(self, X, g):
        self.model.train()
        losses = []
        for idx in torch.randperm(len(X)).split(self.cfg.queries_per_batch):
            self.opt.zero_grad()
            loss = pairwise_loss(self.model(X[idx]), g[idx])
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_grad_norm)
            self.opt.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    @torch.no_grad()
    def evaluate(self, X, g):
        self.model.eval()
        scores = self.model(X)
        return pairwise_loss(scores, g).item(), ndcg(scores, g)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    X, g = make_queries(cfg, rng)
    train, val, test = slice(0, 420), slice(420, 500), slice(500, 600)
    mu, sd = X[train].mean((0, 1)), X[train].std((0, 1))
    X = (X - mu) / sd

    trainer = RankTrainer(cfg, Scorer(cfg.n_features, cfg.hidden))
    for epoch in range(1, cfg.epochs + 1):
        loss = trainer.train_epoch(X[train], g[train])
        val_loss, val_ndcg = trainer.evaluate(X[val], g[val])
        print(f"[{epoch:02d}] loss={loss:.4f} val_loss={val_loss:.4f} val_ndcg@10={val_ndcg:.4f}")

    test_loss, test_ndcg = trainer.evaluate(X[test], g[test])
    print(f"test: loss={test_loss:.4f} ndcg@10={test_ndcg:.4f}")


if __name__ == "__main__":
    main()
