import logging
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname).1s %(message)s")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    seed: int = 2
    micro_batch: int = 16
    accumulate: int = 2
    epochs: int = 10
    lr: float = 3e-3
    warmup_updates: int = 40
    label_smoothing: float = 0.05
    ema_decay: float = 0.98


class RowTransformer(nn.Module):
    """Reads a digit as a sequence of eight rows."""

    def __init__(self, dim=48, classes=10):
        super().__init__()
        self.inp = nn.Linear(8, dim)
        self.cls = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.pos = nn.Parameter(torch.randn(1, 9, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, 4, 2 * dim, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        tokens = torch.cat([self.cls.expand(len(x), -1, -1), self.inp(x)], dim=1) + self.pos
        return self.head(self.norm(self.encoder(tokens)[:, 0]))


class Ema:
    def __init__(self, model, decay):
        self.model = deepcopy(model).eval().requires_grad_(False)
        self.decay, self.updates = decay, 0

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for e, p in zip(self.model.state_dict().values(), model.state_dict().values()):
            e.mul_(d).add_(p, alpha=1 - d)


def get_data(cfg):
    X, y = load_digits(return_X_y=True)
    X = X.reshape(-1, 8, 8).astype(np.float32)
    X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=cfg.seed)
    X_train, X_val, y_train, y_val = train_test_split(X_fit, y_fit, test_size=0.15, stratify=y_fit, random_state=cfg.seed)
    mean, std = X_train.mean(), X_train.std()

    def pack(a, b):
        return TensorDataset(torch.from_numpy((a - mean) / std), torch.from_numpy(b))

    return pack(X_train, y_train), pack(X_val, y_val), pack(X_test, y_test)


def accuracy(model, data):
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        x, y = data.tensors
        acc = (model(x).argmax(1) == y).float().mean().item()
    model.train(was_training)
    return acc


def windows(loader, size):
    """Groups of micro-batches; the last group of an epoch may be shorter."""
    group = []
    for batch in loader:
        group.append(batch)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def main(cfg=Settings()):
    torch.manual_seed(cfg.seed)
    train, val, test = get_data(cfg)
    loader = DataLoader(train, batch_size=cfg.micro_batch, shuffle=True)
    model = RowTransformer()
    ema = Ema(model, cfg.ema_decay)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.02)
    updates_per_epoch = -(-len(loader) // cfg.accumulate)
    total_updates = cfg.epochs * updates_per_epoch
    warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.05, 1.0, total_iters=cfg.warmup_updates)
    cool = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total_updates - cfg.warmup_updates, eta_min=1e-5)
    scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, cool], milestones=[cfg.warmup_updates])

    for epoch in range(cfg.epochs):
        model.train()
        loss_sum, seen = 0.0, 0
        for group in windows(loader, cfg.accumulate):
            n = sum(len(y) for _, y in group)
            for x, y in group:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    logits = model(x)
                loss = F.cross_entropy(logits.float(), y, label_smoothing=cfg.label_smoothing, reduction="sum") / n
                loss.backward()
                loss_sum += loss.item() * n
            seen += n
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            scheduler.step()
            ema.update(model)
        if epoch % 2 == 1:
            logger.info("epoch %2d  lr %.1e  loss %.3f  val %.3f  val(ema) %.3f", epoch + 1,
                        scheduler.get_last_lr()[0], loss_sum / seen, accuracy(model, val), accuracy(ema.model, val))
    logger.info("test accuracy of averaged weights: %.3f", accuracy(ema.model, test))


if __name__ == "__main__":
    main()
