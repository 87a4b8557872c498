"""Learning to rank with ListNet on synthetic search results of varying length.

Each query has between 5 and 15 candidate documents; padded slots are masked. Quality is NDCG@5 on unseen queries.
"""
import logging
from dataclasses import dataclass
from typing import Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

logger = logging.getLogger("listnet")


@dataclass(slots=True)
class QueryBatch:
    docs: Tensor       # (queries, slots, features)
    grades: Tensor     # (queries, slots) in 0..4
    mask: Tensor       # (queries, slots) True where a document exists

    def __len__(self) -> int:
        return self.docs.size(0)

    def take(self, idx: Tensor) -> "QueryBatch":
        return QueryBatch(self.docs[idx], self.grades[idx], self.mask[idx])

    def minibatches(self, size: int, generator: torch.Generator) -> Iterator["QueryBatch"]:
        for idx in torch.randperm(len(self), generator=generator).split(size):
            yield self.take(idx)


def make_queries(n: int, rng: np.random.Generator, slots: int = 15, features: int = 12) -> QueryBatch:
    docs = rng.normal(size=(n, slots, features))
    query_shift = rng.normal(size=(n, 1, 1))
    utility = 1.2 * docs[..., 0] - np.abs(docs[..., 1]) + docs[..., 2] * docs[..., 3] + 0.5 * docs[..., 4]
    utility = utility + 0.25 * rng.normal(size=utility.shape)
    docs[..., 5:7] += query_shift
    grades = np.digitize(utility, [-1.5, -0.3, 0.6, 1.8])
    lengths = rng.integers(5, slots + 1, size=n)
    mask = np.arange(slots)[None, :] < lengths[:, None]
    docs[~mask], grades[~mask] = 0.0, 0
    return QueryBatch(
        torch.tensor(docs, dtype=torch.float32), torch.tensor(grades, dtype=torch.float32), torch.tensor(mask)
    )


class Scorer(nn.Module):
    def __init__(self, features: int, width: int = 64):
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Linear(features, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1, bias=False)
        )

    def forward(self, docs: Tensor, mask: Tensor) -> Tensor:
        return self.mlp(docs).squeeze(-1).masked_fill(~mask, -1e4)


def listnet_loss(scores: Tensor, grades: Tensor, mask: Tensor) -> Tensor:
    """KL between the top-one distributions of the grades and of the scores, per query."""
    target = F.softmax(grades.masked_fill(~mask, -1e4), dim=1)
    return F.kl_div(F.log_softmax(scores, dim=1), target, reduction="batchmean")


@torch.no_grad()
def ndcg(model: nn.Module, batch: QueryBatch, k: int = 5) -> float:
    model.eval()
    discount = 1.0 / torch.log2(torch.arange(k) + 2.0)
    gain = (2.0 ** batch.grades - 1.0) * batch.mask
    ranking = model(batch.docs, batch.mask).argsort(dim=1, descending=True)[:, :k]
    dcg = (gain.gather(1, ranking) * discount).sum(1)
    ideal = (gain.sort(dim=1, descending=True).values[:, :k] * discount).sum(1)
    valid = ideal > 0
    return (dcg[valid] / ideal[valid]).mean().item()


def main(epochs: int = 30, seed: int = 8) -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    train, val, test = make_queries(900, rng), make_queries(150, rng), make_queries(250, rng)
    model = Scorer(train.docs.size(-1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=epochs)
    generator = torch.Generator().manual_seed(seed)
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for batch in train.minibatches(50, generator):
            loss = listnet_loss(model(batch.docs, batch.mask), batch.grades, batch.mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        scheduler.step()
        if epoch % 5 == 0:
            logger.info("epoch %2d  KL %.4f  val NDCG@5 %.3f", epoch, total / len(train), ndcg(model, val))
    logger.info("test NDCG@5 %.3f", ndcg(model, test))


if __name__ == "__main__":
    main()
