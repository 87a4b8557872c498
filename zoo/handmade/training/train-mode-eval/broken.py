"""Language identification on short strings of five artificial languages."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

ALPHABET = "abcdefghijklmn"
LANGUAGES = ["arun", "beki", "corva", "delo", "esti"]
LENGTH = 24
EPOCHS = 16


def letter_tables(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """One table of letter transitions per language."""
    k = len(ALPHABET)
    return {name: rng.dirichlet(np.full(k, 0.4), size=k) for name in LANGUAGES}


def write_string(table: np.ndarray, rng: np.random.Generator) -> str:
    cumulative = table.cumsum(axis=1)
    letters = [int(rng.integers(len(ALPHABET)))]
    for u in rng.random(LENGTH - 1):
        nxt = int(np.searchsorted(cumulative[letters[-1]], u))
        letters.append(min(nxt, len(ALPHABET) - 1))
    return "".join(ALPHABET[i] for i in letters)


class StringDataset(Dataset):
    def __init__(self, strings: list[str], labels: list[int]):
        self.codes = torch.tensor([[ALPHABET.index(c) for c in s] for s in strings])
        self.labels = torch.tensor(labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.codes[index], self.labels[index]


class ConvTagger(nn.Module):
    def __init__(self, channels: int = 32):
        super().__init__()
        self.embed = nn.Embedding(len(ALPHABET), 12)
        self.conv = nn.Conv1d(12, channels, kernel_size=3)
        self.norm = nn.BatchNorm1d(channels)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(channels, len(LANGUAGES))

    def forward(self, codes: Tensor) -> Tensor:
        x = self.embed(codes).transpose(1, 2)
        x = torch.relu(self.norm(self.conv(x))).mean(dim=2)
        return self.out(self.drop(x))


@torch.no_grad()
def per_language(model: nn.Module, held_out: dict[str, StringDataset]) -> dict[str, float]:
    report = {}
    for name, dataset in held_out.items():
        codes, labels = dataset.codes, dataset.labels
        predicted = model(codes).argmax(dim=-1)
        report[name] = (predicted == labels).float().mean().item()
    return report


def main() -> None:
    torch.manual_seed(5)
    rng = np.random.default_rng(5)
    tables = letter_tables(rng)
    strings, labels, held_out = [], [], {}
    for index, (name, table) in enumerate(tables.items()):
        strings += [write_string(table, rng) for _ in range(320)]
        labels += [index] * 320
        unseen = [write_string(table, rng) for _ in range(150)]
        held_out[name] = StringDataset(unseen, [index] * 150)
    loader = DataLoader(StringDataset(strings, labels), batch_size=64, shuffle=True)

    model = ConvTagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(1, EPOCHS + 1):
        model.train()
        losses = []
        for codes, target in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(codes), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
        print(f"epoch {epoch:2d} training loss {np.mean(losses):.4f}")

    report = per_language(model, held_out)
    for name, value in report.items():
        print(f"  {name:6s} {value:.3f}")
    print(f"mean accuracy over languages {np.mean(list(report.values())):.3f}")


if __name__ == "__main__":
    main()
