"""Classify service log lines by severity from their text (the level field is stripped)."""
from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Iterable

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)

SEVERITY = {"info": 0, "warning": 1, "error": 2}

PHRASES = {
    "INFO": ["request served", "cache warmed", "user signed in", "job finished", "health check passed", "config loaded"],
    "WARNING": ["slow query detected", "retrying upstream call", "disk usage above limit", "deprecated endpoint used", "queue length growing"],
    "ERROR": ["connection refused by peer", "unhandled exception in worker", "transaction rolled back", "failed to parse payload", "out of memory"],
}
SERVICES = ["auth", "billing", "search", "gateway", "mailer", "scheduler"]
FILLER = "id shard node pod after before on with for region eu us retry count ms total host zone batch request user job query".split()


@dataclass(frozen=True)
class Params:
    lines: int = 6000
    max_len: int = 16
    dim: int = 16
    hidden: int = 24
    batch_size: int = 64
    epochs: int = 8
    lr: float = 2e-3
    seed: int = 77


def emit_log(n: int, rng: random.Random) -> Iterable[str]:
    """Newline-delimited JSON, as the collector writes it."""
    levels = list(PHRASES)
    for _ in range(n):
        level = rng.choice(levels)
        source = level if rng.random() > 0.06 else rng.choice(levels)
        words = rng.choice(PHRASES[source]).split()
        words = [w for w in words if rng.random() > 0.15]
        for _ in range(rng.randint(4, 9)):
            words.insert(rng.randint(0, len(words)), rng.choice(FILLER))
        yield json.dumps({"service": rng.choice(SERVICES), "level": level, "msg": " ".join(words)})


@dataclass
class Example:
    tokens: list[str]
    label: int


def parse_line(line: str) -> Example:
    record = json.loads(line)
    tokens = [record["service"], *record["msg"].split()]
    label = SEVERITY.get(record["level"], SEVERITY["info"])
    return Example(tokens, label)


def build_vocab(examples: list[Example]) -> dict[str, int]:
    words = sorted({t for ex in examples for t in ex.tokens})
    return {"<pad>": 0, "<unk>": 1, **{w: i + 2 for i, w in enumerate(words)}}


def to_tensors(examples: list[Example], vocab: dict[str, int], max_len: int) -> TensorDataset:
    x = torch.zeros(len(examples), max_len, dtype=torch.long)
    for i, ex in enumerate(examples):
        ids = [vocab.get(t, 1) for t in ex.tokens[:max_len]]
        x[i, : len(ids)] = torch.tensor(ids)
    return TensorDataset(x, torch.tensor([ex.label for ex in examples]))


class LogClassifier(nn.Module):
    def __init__(self, vocab_size: int, p: Params) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab_size, p.dim, padding_idx=0)
        self.conv = nn.Conv1d(p.dim, p.hidden, kernel_size=3, padding=1)
        self.out = nn.Linear(p.hidden, len(SEVERITY))

    def forward(self, ids: Tensor) -> Tensor:
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2)))
        return self.out(h.amax(dim=2))


class Trainer:
    def __init__(self, model: nn.Module, p: Params) -> None:
        self.model, self.p = model, p
        self.loss_fn = nn.CrossEntropyLoss()
        self.opt = torch.optim.AdamW(model.parameters(), lr=p.lr, weight_decay=0.01)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=p.epochs)

    def fit(self, train: DataLoader, val: DataLoader) -> None:
        for epoch in range(1, self.p.epochs + 1):
            self.model.train()
            total, n = 0.0, 0
            for x, y in train:
                loss = self.loss_fn(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() * len(y)
                n += len(y)
            self.sched.step()
            val_loss, val_acc = self.score(val)
            print(f"epoch {epoch}: train_loss={total / n:.4f} val_loss={val_loss:.4f} val_acc={val_acc:.4f}")

    @torch.no_grad()
    def score(self, loader: DataLoader) -> tuple[float, float]:
        self.model.eval()
        total, hits, n = 0.0, 0, 0
        for x, y in loader:
            out = self.model(x)
            total += self.loss_fn(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
        return total / n, hits / n


def main() -> None:
    p = Params()
    torch.manual_seed(p.seed)
    examples = [parse_line(line) for line in emit_log(p.lines, random.Random(p.seed))]
    a, b = int(0.8 * p.lines), int(0.9 * p.lines)
    vocab = build_vocab(examples[:a])
    sets = [to_tensors(part, vocab, p.max_len) for part in (examples[:a], examples[a:b], examples[b:])]
    train = DataLoader(sets[0], p.batch_size, shuffle=True)
    val, test = (DataLoader(s, 256) for s in sets[1:])

    trainer = Trainer(LogClassifier(len(vocab), p), p)
    trainer.fit(train, val)
    loss, acc = trainer.score(test)
    print(f"test: loss={loss:.4f} acc={acc:.4f}")

    with torch.no_grad():
        for text in ("auth unhandled exception in worker node", "search slow query detected shard", "gateway health check passed"):
            ids = to_tensors([Example(text.split(), 0)], vocab, p.max_len).tensors[0]
            probs = trainer.model(ids).softmax(-1)[0]
            print(f"  {text!r}: " + ", ".join(f"{k}={probs[i]:.2f}" for k, i in SEVERITY.items()))


if __name__ == "__main__":
    main()
