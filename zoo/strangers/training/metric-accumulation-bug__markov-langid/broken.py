"""Language identification on synthetic character streams.

Every "language" is a first-order Markov chain over a small alphabet. A bag of
embeddings over character bigrams, followed by a small MLP, predicts which
language a snippet comes from.
"""
from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainConfig:
    num_languages: int = 6
    alphabet_size: int = 18
    snippet_length: int = 36
    num_train: int = 6000
    num_val: int = 1000
    num_test: int = 1000
    embed_dim: int = 32
    hidden_dim: int = 64
    dropout: float = 0.1
    batch_size: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    epochs: int = 16
    seed: int = 13


class RunningMetrics:
    """Accumulates loss and accuracy over the batches it is shown."""

    def __init__(self) -> None:
        self.loss_sum = 0.0
        self.correct = 0
        self.total = 0

    def update(self, loss: torch.Tensor, logits: torch.Tensor, targets: torch.Tensor) -> None:
        n = targets.size(0)
        self.loss_sum += loss.item() * n
        self.correct += int((logits.argmax(dim=1) == targets).sum().item())
        self.total += n

    @property
    def loss(self) -> float:
        return self.loss_sum / self.total

    @property
    def accuracy(self) -> float:
        return self.correct / self.total


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_languages(cfg: TrainConfig, rng: np.random.Generator) -> np.ndarray:
    """Transition tables: a shared base with a language-specific perturbation."""
    base = rng.dirichlet(np.full(cfg.alphabet_size, 2.0), size=cfg.alphabet_size)
    own = rng.dirichlet(np.full(cfg.alphabet_size, 0.6), size=(cfg.num_languages, cfg.alphabet_size))
    return 0.45 * base[None] + 0.55 * own


def sample_snippets(tables: np.ndarray, count: int, cfg: TrainConfig, rng: np.random.Generator) -> TensorDataset:
    labels = rng.integers(0, cfg.num_languages, size=count)
    cumulative = tables.cumsum(axis=-1)
    chars = np.empty((count, cfg.snippet_length), dtype=np.int64)
    chars[:, 0] = rng.integers(0, cfg.alphabet_size, size=count)
    for t in range(1, cfg.snippet_length):
        rows = cumulative[labels, chars[:, t - 1]]
        draws = rng.random((count, 1))
        chars[:, t] = (draws > rows).sum(axis=1).clip(max=cfg.alphabet_size - 1)
    bigrams = chars[:, :-1] * cfg.alphabet_size + chars[:, 1:]
    return TensorDataset(torch.from_numpy(bigrams), torch.from_numpy(labels))


class BigramClassifier(nn.Module):
    def __init__(self, cfg: TrainConfig) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(cfg.alphabet_size ** 2, cfg.embed_dim, mode="mean")
        self.head = nn.Sequential(
            nn.LayerNorm(cfg.embed_dim),
            nn.Linear(cfg.embed_dim, cfg.hidden_dim),
            nn.GELU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(cfg.hidden_dim, cfg.num_languages),
        )

    def forward(self, bigrams: torch.Tensor) -> torch.Tensor:
        return self.head(self.embedding(bigrams))


def train_one_epoch(model, loader, criterion, optimizer, metrics: RunningMetrics) -> None:
    model.train()
    for bigrams, targets in loader:
        optimizer.zero_grad()
        logits = model(bigrams)
        loss = criterion(logits, targets)
        loss.backward()
        optimizer.step()
        metrics.update(loss, logits, targets)


@torch.no_grad()
def evaluate(model, loader, criterion, metrics: RunningMetrics) -> None:
    model.eval()
    for bigrams, targets in loader:
        logits = model(bigrams)
        metrics.update(criterion(logits, targets), logits, targets)


def main() -> None:
    cfg = TrainConfig()
    set_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)

    tables = make_languages(cfg, rng)
    train_set = sample_snippets(tables, cfg.num_train, cfg, rng)
    val_set = sample_snippets(tables, cfg.num_val, cfg, rng)
    test_set = sample_snippets(tables, cfg.num_test, cfg, rng)
    train_loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=256)
    test_loader = DataLoader(test_set, batch_size=256)

    model = BigramClassifier(cfg)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.learning_rate, weight_decay=cfg.weight_decay)

    train_metrics, val_metrics = RunningMetrics(), RunningMetrics()
    for epoch in range(1, cfg.epochs + 1):
        train_one_epoch(model, train_loader, criterion, optimizer, train_metrics)
        evaluate(model, val_loader, criterion, val_metrics)
        print(
            f"epoch {epoch:02d} | train loss {train_metrics.loss:.4f} acc {train_metrics.accuracy:.4f} "
            f"| val loss {val_metrics.loss:.4f} acc {val_metrics.accuracy:.4f}"
        )

    test_metrics = RunningMetrics()
    evaluate(model, test_loader, criterion, test_metrics)
    print(f"final val acc {val_metrics.accuracy:.4f} | test acc {test_metrics.accuracy:.4f}")


if __name__ == "__main__":
    main()
