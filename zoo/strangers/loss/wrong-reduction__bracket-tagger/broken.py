"""Sequence tagging: label every token of a bracket string with its nesting depth.

Strings have different lengths and are padded per batch. A bidirectional GRU is
trained with SGD and Nesterov momentum; padded positions do not count.
"""
import random
from dataclasses import dataclass, field
from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

VOCAB = {"<pad>": 0, "(": 1, ")": 2, "a": 3, "b": 4}
MAX_DEPTH = 4


@dataclass
class DataConfig:
    train_size: int = 1600
    val_size: int = 300
    test_size: int = 300
    min_len: int = 8
    max_len: int = 28


@dataclass
class TrainConfig:
    data: DataConfig = field(default_factory=DataConfig)
    hidden: int = 48
    embed: int = 16
    lr: float = 0.1
    momentum: float = 0.9
    batch_size: int = 32
    epochs: int = 10
    seed: int = 99


def random_string(length: int, rng: random.Random) -> Tuple[List[int], List[int]]:
    """A bracket string that never closes more than it opened, with its depth at each token."""
    tokens, depths, depth = [], [], 0
    for _ in range(length):
        options = ["a", "b"] + ["("] * (depth < MAX_DEPTH) * 2 + [")"] * (depth > 0) * 2
        token = rng.choice(options)
        depth += (token == "(") - (token == ")")
        tokens.append(VOCAB[token])
        depths.append(depth)
    return tokens, depths


def make_corpus(cfg: DataConfig, rng: random.Random) -> List[List[Tuple[Tensor, Tensor]]]:
    """Three disjoint lists of (tokens, depths)."""
    seen, corpus = set(), []
    while len(corpus) < cfg.train_size + cfg.val_size + cfg.test_size:
        tokens, depths = random_string(rng.randint(cfg.min_len, cfg.max_len), rng)
        if tuple(tokens) not in seen:
            seen.add(tuple(tokens))
            corpus.append((torch.tensor(tokens), torch.tensor(depths)))
    a, b = cfg.train_size, cfg.train_size + cfg.val_size
    return [corpus[:a], corpus[a:b], corpus[b:]]


def collate(batch: List[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, Tensor, Tensor]:
    tokens, depths = zip(*batch)
    lengths = torch.tensor([len(t) for t in tokens])
    return pad_sequence(tokens, batch_first=True), pad_sequence(depths, batch_first=True), lengths


class DepthTagger(nn.Module):
    def __init__(self, cfg: TrainConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(VOCAB), cfg.embed, padding_idx=0)
        self.encoder = nn.GRU(cfg.embed, cfg.hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * cfg.hidden, MAX_DEPTH + 1)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(
            self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        encoded, _ = pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        return self.output(encoded)


def masked_loss(logits: Tensor, depths: Tensor, mask: Tensor) -> Tensor:
    """Cross-entropy over the real tokens of the batch."""
    per_token = F.cross_entropy(logits.transpose(1, 2), depths, reduction="none")
    return (per_token * mask).sum()


def token_mask(tokens: Tensor) -> Tensor:
    return (tokens != VOCAB["<pad>"]).float()


def train_one_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer) -> float:
    model.train()
    losses = []
    for tokens, depths, lengths in loader:
        loss = masked_loss(model(tokens, lengths), depths, token_mask(tokens))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader) -> float:
    """Token accuracy without the padding."""
    model.eval()
    correct = total = 0.0
    for tokens, depths, lengths in loader:
        mask = token_mask(tokens)
        hits = (model(tokens, lengths).argmax(dim=-1) == depths).float()
        correct += (hits * mask).sum().item()
        total += mask.sum().item()
    return correct / total


def main() -> None:
    cfg = TrainConfig()
    torch.manual_seed(cfg.seed)
    train_set, val_set, test_set = make_corpus(cfg.data, random.Random(cfg.seed))
    train_loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val_set, batch_size=100, collate_fn=collate)
    test_loader = DataLoader(test_set, batch_size=100, collate_fn=collate)

    model = DepthTagger(cfg)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum, nesterov=True)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=cfg.epochs)
    for epoch in range(cfg.epochs):
        loss = train_one_epoch(model, train_loader, optimizer)
        scheduler.step()
        print(f"epoch {epoch + 1:2d} | train loss {loss:.4f} | val token accuracy {evaluate(model, val_loader):.4f}")
    print(f"test token accuracy {evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
