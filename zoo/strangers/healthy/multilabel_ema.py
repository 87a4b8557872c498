"""Multi-label tagging of recipes (bags of ingredients) with weight averaging.

Labels: vegan, spicy, dessert, quick. Positive weights come from the training
labels; an exponential moving average of the weights is evaluated.
"""
import argparse
import logging
from typing import Dict, List

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, f1_score
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset, random_split

logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
logger = logging.getLogger(__name__)

TAGS: List[str] = ["vegan", "spicy", "dessert", "quick"]
NUM_INGREDIENTS = 80


def build_dataset(n: int, rng: np.random.Generator) -> TensorDataset:
    """Each tag shifts the odds of a few ingredients; tags are partly dependent."""
    tags = (rng.random((n, len(TAGS))) < np.array([0.4, 0.3, 0.25, 0.5])).astype(np.float32)
    tags[:, 1] *= 1.0 - tags[:, 2]
    base = rng.uniform(-3.0, -1.0, size=NUM_INGREDIENTS)
    effect = rng.normal(scale=1.6, size=(len(TAGS), NUM_INGREDIENTS)) * (rng.random((len(TAGS), NUM_INGREDIENTS)) < 0.5)
    odds = base + tags @ effect + 0.6 * (tags[:, :1] * tags[:, 3:]) * effect[0]
    bags = (rng.random((n, NUM_INGREDIENTS)) < 1.0 / (1.0 + np.exp(-odds))).astype(np.float32)
    return TensorDataset(torch.from_numpy(bags), torch.from_numpy(tags))


class Tagger(nn.Module):
    def __init__(self, hidden: int = 64, dropout: float = 0.3) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(NUM_INGREDIENTS, hidden), nn.LayerNorm(hidden), nn.ReLU(), nn.Dropout(dropout)
        )
        self.heads = nn.ModuleDict({tag: nn.Linear(hidden, 1) for tag in TAGS})

    def forward(self, bag: torch.Tensor) -> torch.Tensor:
        shared = self.trunk(bag)
        return torch.cat([self.heads[tag](shared) for tag in TAGS], dim=1)


def train_one_epoch(model, ema, loader, criterion, optimizer) -> float:
    model.train()
    total = 0.0
    for bags, tags in loader:
        optimizer.zero_grad()
        loss = criterion(model(bags), tags)
        loss.backward()
        optimizer.step()
        ema.update_parameters(model)
        total += loss.item() * len(bags)
    return total / len(loader.dataset)


def evaluate(model: nn.Module, loader: DataLoader) -> Dict[str, float]:
    model.eval()
    with torch.no_grad():
        logits, tags = map(torch.cat, zip(*((model(bags), tags) for bags, tags in loader)))
    predicted = (logits > 0).int().numpy()
    truth = tags.int().numpy()
    return {
        "micro_f1": f1_score(truth, predicted, average="micro"),
        "macro_f1": f1_score(truth, predicted, average="macro"),
        "mean_ap": average_precision_score(truth, logits.numpy(), average="macro"),
        "exact": float((truth == predicted).all(axis=1).mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--recipes", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--ema-decay", type=float, default=0.99)
    parser.add_argument("--seed", type=int, default=1234)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    dataset = build_dataset(args.recipes, np.random.default_rng(args.seed))
    train_set, val_set, test_set = random_split(
        dataset, [0.7, 0.15, 0.15], generator=torch.Generator().manual_seed(args.seed)
    )
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    val_loader, test_loader = DataLoader(val_set, batch_size=300), DataLoader(test_set, batch_size=300)

    positives = dataset.tensors[1][train_set.indices].mean(dim=0)
    criterion = nn.BCEWithLogitsLoss(pos_weight=((1 - positives) / positives).sqrt())

    model = Tagger()
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(args.ema_decay))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    for epoch in range(1, args.epochs + 1):
        loss = train_one_epoch(model, ema, train_loader, criterion, optimizer)
        val = evaluate(ema, val_loader)
        logger.info("epoch %02d loss=%.4f %s", epoch, loss, " ".join(f"{k}={v:.3f}" for k, v in val.items()))

    test = evaluate(ema, test_loader)
    logger.info("test %s", " ".join(f"{k}={v:.3f}" for k, v in test.items()))


if __name__ == "__main__":
    main()
