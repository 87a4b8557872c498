import logging
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

logging.basicConfig(format="%(asctime)s | %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
logger = logging.getLogger(__name__)


@dataclass
class Settings:
    n_queries: int = 1500
    n_docs: int = 12
    n_feats: int = 16
    width: int = 32
    dim: int = 12
    epochs: int = 20
    queries_per_step: int = 32
    lr: float = 3e-3
    seed: int = 5


def make_collection(s: Settings) -> tuple[Tensor, Tensor]:
    """Documents per query, and graded relevance 0..3 (each grade three times per query)."""
    rng = np.random.default_rng(s.seed)
    x = rng.standard_normal((s.n_queries, s.n_docs, s.n_feats))
    match = x[..., 0] * x[..., 1] + x[..., 2] * x[..., 3]
    freshness = np.abs(x[..., 4]) - np.abs(x[..., 5])
    utility = match + freshness + 0.3 * x[..., 6] + 0.15 * rng.standard_normal(match.shape)
    rank = utility.argsort(-1).argsort(-1)
    grade = rank * 4 // s.n_docs
    return torch.tensor(x, dtype=torch.float32), torch.tensor(grade, dtype=torch.float32)


class Ranker(nn.Module):
    """Document encoder shared by the scorer and by the near-duplicate report."""

    def __init__(self, s: Settings):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(s.n_feats, s.width), nn.SiLU(),
            nn.Linear(s.width, s.width), nn.SiLU(),
            nn.Linear(s.width, s.dim), nn.SiLU(),
        )
        self.scorer = nn.Linear(s.dim, 1)

    @torch.no_grad()
    def embed(self, docs: Tensor) -> Tensor:
        return self.trunk(docs)

    def forward(self, docs: Tensor) -> Tensor:
        return self.scorer(self.embed(docs)).squeeze(-1)


def listwise_loss(scores: Tensor, grades: Tensor) -> Tensor:
    target = torch.softmax(grades, dim=-1)
    return -(target * torch.log_softmax(scores, dim=-1)).sum(-1).mean()


def ndcg(scores: Tensor, grades: Tensor, k: int = 5) -> float:
    discount = 1.0 / torch.log2(torch.arange(k) + 2.0)
    gains = 2.0 ** grades - 1.0
    got = gains.gather(-1, scores.argsort(dim=-1, descending=True)[:, :k])
    ideal = gains.sort(dim=-1, descending=True).values[:, :k]
    return ((got * discount).sum(-1) / (ideal * discount).sum(-1)).mean().item()


def closest_pair(model: Ranker, docs: Tensor) -> tuple[int, int]:
    z = nn.functional.normalize(model.embed(docs), dim=-1)
    sim = z @ z.T - 2 * torch.eye(len(z))
    return divmod(int(sim.argmax()), len(z))


def main(s: Settings) -> None:
    torch.manual_seed(s.seed)
    x, y = make_collection(s)
    n_train = int(0.8 * s.n_queries)
    x_train, y_train, x_test, y_test = x[:n_train], y[:n_train], x[n_train:], y[n_train:]

    model = Ranker(s)
    opt = torch.optim.Adam(model.parameters(), lr=s.lr, weight_decay=1e-5)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=s.epochs)

    for epoch in range(s.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(n_train).split(s.queries_per_step):
            loss = listwise_loss(model(x_train[idx]), y_train[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        logger.info("epoch %2d  loss %.4f", epoch, total / n_train)

    model.eval()
    with torch.no_grad():
        scores = model(x_test)
        logger.info("held-out loss %.4f", listwise_loss(scores, y_test).item())
        logger.info("held-out NDCG@5 %.4f (random order %.4f)", ndcg(scores, y_test), ndcg(torch.rand_like(scores), y_test))
    logger.info("most similar documents of the first held-out query: %s", closest_pair(model, x_test[0]))


if __name__ == "__main__":
    main(Settings())
