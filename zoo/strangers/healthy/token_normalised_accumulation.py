"""Character-level reversal with a small Transformer encoder.

Batches hold sequences of different lengths, so the loss is summed over tokens
and divided by the number of real tokens in the whole accumulation window.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import Iterable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0
IGNORE = -100


@dataclass
class Config:
    vocab: int = 9
    min_len: int = 4
    max_len: int = 10
    n_train: int = 4000
    n_eval: int = 400
    d_model: int = 48
    heads: int = 4
    layers: int = 2
    micro_batch: int = 24
    window: int = 3
    lr: float = 1e-3
    warmup: int = 40
    epochs: int = 8
    seed: int = 1


def make_sequences(cfg: Config, generator: torch.Generator) -> list[Tensor]:
    """Distinct random strings over 1..vocab-1."""
    pool: dict[tuple[int, ...], None] = {}
    while len(pool) < cfg.n_train + 2 * cfg.n_eval:
        length = int(torch.randint(cfg.min_len, cfg.max_len + 1, (1,), generator=generator))
        pool[tuple(torch.randint(1, cfg.vocab, (length,), generator=generator).tolist())] = None
    return [torch.tensor(s) for s in pool]


def collate(batch: list[Tensor]) -> tuple[Tensor, Tensor]:
    source = pad_sequence(batch, batch_first=True, padding_value=PAD)
    target = pad_sequence([s.flip(0) for s in batch], batch_first=True, padding_value=IGNORE)
    return source, target


class Reverser(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.tokens = nn.Embedding(cfg.vocab, cfg.d_model, padding_idx=PAD)
        self.from_start = nn.Embedding(cfg.max_len, cfg.d_model)
        self.from_end = nn.Embedding(cfg.max_len, cfg.d_model)
        layer = nn.TransformerEncoderLayer(
            cfg.d_model, cfg.heads, 2 * cfg.d_model, dropout=0.0, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.output = nn.Linear(cfg.d_model, cfg.vocab)

    def forward(self, source: Tensor) -> Tensor:
        padding = source == PAD
        length = (~padding).sum(dim=1, keepdim=True)
        position = torch.arange(source.size(1)).expand_as(source)
        reverse = (length - 1 - position).clamp(min=0)
        h = self.tokens(source) + self.from_start(position) + self.from_end(reverse)
        return self.output(self.encoder(h, src_key_padding_mask=padding))


def windows(loader: Iterable, size: int) -> Iterator[list]:
    it = iter(loader)
    while chunk := list(islice(it, size)):
        yield chunk


def train_one_epoch(model: nn.Module, loader: DataLoader, optimizer, scheduler, cfg: Config) -> float:
    model.train()
    total, tokens_seen = 0.0, 0
    for chunk in windows(loader, cfg.window):
        n_tokens = sum(int((target != IGNORE).sum()) for _, target in chunk)
        optimizer.zero_grad(set_to_none=True)
        for source, target in chunk:
            loss = F.cross_entropy(model(source).flatten(0, 1), target.flatten(), ignore_index=IGNORE, reduction="sum")
            (loss / n_tokens).backward()
            total += loss.item()
        optimizer.step()
        scheduler.step()
        tokens_seen += n_tokens
    return total / tokens_seen


@torch.inference_mode()
def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    """Token accuracy and share of strings reversed without any mistake."""
    model.eval()
    token_hits = tokens = exact = strings = 0
    for source, target in loader:
        real = target != IGNORE
        right = (model(source).argmax(-1) == target) & real
        token_hits += right.sum().item()
        tokens += real.sum().item()
        exact += (right | ~real).all(dim=1).sum().item()
        strings += len(source)
    return token_hits / tokens, exact / strings


def main() -> None:
    cfg = Config()
    torch.manual_seed(cfg.seed)
    data = make_sequences(cfg, torch.Generator().manual_seed(cfg.seed))
    train, val, test = data[:cfg.n_train], data[cfg.n_train:-cfg.n_eval], data[-cfg.n_eval:]
    train_loader = DataLoader(train, batch_size=cfg.micro_batch, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val, batch_size=100, collate_fn=collate)
    test_loader = DataLoader(test, batch_size=100, collate_fn=collate)

    model = Reverser(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-2)
    total_steps = cfg.epochs * math.ceil(len(train_loader) / cfg.window)

    def schedule(step: int) -> float:
        if step < cfg.warmup:
            return (step + 1) / cfg.warmup
        progress = (step - cfg.warmup) / (total_steps - cfg.warmup)
        return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    for epoch in range(1, cfg.epochs + 1):
        loss = train_one_epoch(model, train_loader, optimizer, scheduler, cfg)
        token_acc, exact = evaluate(model, val_loader)
        print(f"epoch {epoch:2d} | loss/token {loss:.4f} | val tokens {token_acc:.4f} | val exact {exact:.4f}")
    token_acc, exact = evaluate(model, test_loader)
    print(f"test: tokens {token_acc:.4f}, exact strings {exact:.4f}")


if __name__ == "__main__":
    main()
