"""Click-through model for the offers widget: a factorization machine over categorical fields."""
import argparse
import logging
from dataclasses import dataclass, field

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("ctr")


@dataclass
class FMConfig:
    cardinalities: list[int] = field(default_factory=lambda: [60, 40, 12, 7, 24])
    rank: int = 4
    lr: float = 2e-2
    weight_decay: float = 5e-2
    batch_size: int = 512
    epochs: int = 8
    n_rows: int = 24_000
    seed: int = 20


def simulate_impressions(cfg: FMConfig):
    """Users, offers, placements, weekdays and hours; a click depends on how well user and offer tastes agree."""
    rng = np.random.default_rng(cfg.seed)
    cols = [rng.integers(0, c, cfg.n_rows) for c in cfg.cardinalities]
    user_taste = rng.normal(size=(cfg.cardinalities[0], 3))
    offer_taste = rng.normal(size=(cfg.cardinalities[1], 3))
    placement = rng.normal(scale=0.5, size=cfg.cardinalities[2])
    hour = 0.4 * np.sin(np.arange(24) / 24 * 2 * np.pi)
    score = 1.6 * (user_taste[cols[0]] * offer_taste[cols[1]]).sum(1) + placement[cols[2]] + hour[cols[4]]
    clicks = rng.random(cfg.n_rows) < 1 / (1 + np.exp(-(score - 0.3)))
    return np.stack(cols, axis=1), clicks.astype(np.float32)


class FactorizationMachine(nn.Module):
    def __init__(self, cfg: FMConfig):
        super().__init__()
        n = sum(cfg.cardinalities)
        offsets = np.cumsum([0] + cfg.cardinalities[:-1])
        self.register_buffer("offsets", torch.as_tensor(offsets, dtype=torch.long))
        self.bias = nn.Parameter(torch.zeros(()))
        self.linear = nn.Parameter(torch.zeros(n))
        self.factors = nn.Parameter(torch.zeros(n, cfg.rank))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        flat = ids + self.offsets
        first_order = self.linear[flat].sum(dim=1)
        v = self.factors[flat]
        second_order = 0.5 * (v.sum(dim=1).square() - v.square().sum(dim=1)).sum(dim=1)
        return self.bias + first_order + second_order


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    logits, labels, total, count = [], [], 0.0, 0
    for ids, y in loader:
        out = model(ids)
        total += nn.functional.binary_cross_entropy_with_logits(out, y, reduction="sum").item()
        count += len(y)
        logits.append(out)
        labels.append(y)
    auc = roc_auc_score(torch.cat(labels).numpy(), torch.cat(logits).numpy())
    return total / count, auc


def main(cfg: FMConfig):
    torch.manual_seed(cfg.seed)
    ids, clicks = simulate_impressions(cfg)
    order = np.random.default_rng(cfg.seed + 1).permutation(len(ids))
    cut_a, cut_b = int(0.7 * len(ids)), int(0.85 * len(ids))

    def make(part, shuffle):
        ds = TensorDataset(torch.as_tensor(ids[part]), torch.as_tensor(clicks[part]))
        return DataLoader(ds, batch_size=cfg.batch_size, shuffle=shuffle)

    train, valid, test = make(order[:cut_a], True), make(order[cut_a:cut_b], False), make(order[cut_b:], False)

    model = FactorizationMachine(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    criterion = nn.BCEWithLogitsLoss()

    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running, seen = 0.0, 0
        for batch_ids, batch_y in train:
            optimizer.zero_grad()
            loss = criterion(model(batch_ids), batch_y)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(batch_y)
            seen += len(batch_y)
        val_loss, val_auc = evaluate(model, valid)
        log.info("epoch %2d  train %.4f  valid %.4f  auc %.4f", epoch, running / seen, val_loss, val_auc)

    test_loss, test_auc = evaluate(model, test)
    log.info("test: logloss %.4f  auc %.4f", test_loss, test_auc)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=FMConfig.epochs)
    parser.add_argument("--rank", type=int, default=FMConfig.rank)
    args = parser.parse_args()
    main(FMConfig(epochs=args.epochs, rank=args.rank))
