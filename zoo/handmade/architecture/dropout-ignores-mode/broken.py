"""Guess which of five invented languages a word comes from, letter by letter."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

N_LANG = 5
N_LETTERS = 20
LENGTH = 14


def make_words(n: int, seed: int) -> TensorDataset:
    """Each language is a Markov chain over the same alphabet."""
    chains = np.random.default_rng(0).dirichlet(np.full(N_LETTERS, 0.35), (N_LANG, N_LETTERS))
    rng = np.random.default_rng(seed)
    lang = rng.integers(0, N_LANG, n)
    words = np.empty((n, LENGTH), dtype=np.int64)
    words[:, 0] = rng.integers(0, N_LETTERS, n)
    for pos in range(1, LENGTH):
        cumulative = chains[lang, words[:, pos - 1]].cumsum(axis=1)
        draw = rng.random((n, 1)) > cumulative
        words[:, pos] = np.minimum(draw.sum(axis=1), N_LETTERS - 1)
    return TensorDataset(torch.from_numpy(words), torch.from_numpy(lang))


class WordModel(nn.Module):
    def __init__(self, dim: int = 16, channels: int = 48, drop: float = 0.5) -> None:
        super().__init__()
        self.drop = drop
        self.embed = nn.Embedding(N_LETTERS, dim)
        self.conv = nn.Conv1d(dim, channels, kernel_size=2)
        self.hidden = nn.Linear(channels, 48)
        self.classify = nn.Linear(48, N_LANG)

    def forward(self, letters: Tensor) -> Tensor:
        e = self.embed(letters).transpose(1, 2)
        pooled = F.relu(self.conv(e)).mean(dim=2)
        pooled = F.dropout(pooled, p=self.drop)
        h = F.relu(self.hidden(pooled))
        return self.classify(h)


def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    model.eval()
    loss, right, count = 0.0, 0, 0
    with torch.no_grad():
        for letters, lang in loader:
            logits = model(letters)
            loss += F.cross_entropy(logits, lang, reduction="sum").item()
            right += int((logits.argmax(1) == lang).sum())
            count += len(lang)
    return loss / count, right / count


def main() -> None:
    torch.manual_seed(2024)
    train_loader = DataLoader(make_words(5000, seed=1), batch_size=100, shuffle=True)
    valid_loader = DataLoader(make_words(1000, seed=2), batch_size=500)
    test_loader = DataLoader(make_words(2000, seed=3), batch_size=500)

    model = WordModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
    for epoch in range(12):
        model.train()
        for letters, lang in train_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(letters), lang).backward()
            optimizer.step()
        scheduler.step()
        valid_loss, valid_acc = evaluate(model, valid_loader)
        print(f"epoch {epoch + 1:2d}: valid loss {valid_loss:.3f}, accuracy {valid_acc:.3f}")

    _, test_acc = evaluate(model, test_loader)
    print(f"test accuracy {test_acc:.3f}")


if __name__ == "__main__":
    main()
