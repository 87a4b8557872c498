"""Customer churn from account features, a plain MLP."""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("churn")


@dataclass
class Config:
    n_rows: int = 4800
    n_features: int = 40
    hidden: int = 384
    dropout: float = 0.0
    weight_decay: float = 0.0
    lr: float = 1e-3
    batch_size: int = 64
    epochs: int = 40
    seed: int = 11


def make_accounts(cfg):
    rng = np.random.default_rng(cfg.seed)
    x = rng.normal(size=(cfg.n_rows, cfg.n_features))
    x[:, :10] = np.exp(0.5 * x[:, :10]) * 30.0
    x[:, 10:20] = x[:, 10:20] * 5.0 + 12.0
    z = (x - x.mean(0)) / x.std(0)
    w = rng.normal(size=cfg.n_features) * (rng.random(cfg.n_features) < 0.5)
    score = z @ w / np.linalg.norm(w) * 1.5 + 0.7 * np.tanh(z[:, 3] * z[:, 12])
    y = (rng.random(cfg.n_rows) < 1.0 / (1.0 + np.exp(-score))).astype(np.float32)
    return x.astype(np.float32), y


def load_splits(cfg):
    x, y = make_accounts(cfg)
    x_tr, x_rest, y_tr, y_rest = train_test_split(x, y, test_size=0.5, stratify=y, random_state=cfg.seed)
    x_va, x_te, y_va, y_te = train_test_split(x_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=cfg.seed)
    scaler = StandardScaler().fit(x_tr)
    pack = lambda a, b: (torch.from_numpy(scaler.transform(a)).float(), torch.from_numpy(b))
    return pack(x_tr, y_tr), pack(x_va, y_va), pack(x_te, y_te)


def build_model(cfg):
    return nn.Sequential(
        nn.Linear(cfg.n_features, cfg.hidden), nn.ReLU(), nn.Dropout(cfg.dropout),
        nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(), nn.Dropout(cfg.dropout),
        nn.Linear(cfg.hidden, 1),
    )


@torch.no_grad()
def score(model, x, y):
    model.eval()
    logits = model(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(logits, y).item()
    acc = ((logits > 0).float() == y).float().mean().item()
    auc = roc_auc_score(y.numpy(), torch.sigmoid(logits).numpy())
    return loss, acc, auc


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    (x_tr, y_tr), val, test = load_splits(cfg)
    model = build_model(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    log.info("%d train rows, %d parameters", len(x_tr), sum(p.numel() for p in model.parameters()))

    for epoch in range(cfg.epochs):
        model.train()
        order = torch.randperm(len(x_tr))
        total = 0.0
        for start in range(0, len(order), cfg.batch_size):
            idx = order[start:start + cfg.batch_size]
            loss = F.binary_cross_entropy_with_logits(model(x_tr[idx]).squeeze(1), y_tr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if epoch % 4 == 3:
            va_loss, va_acc, va_auc = score(model, *val)
            log.info("epoch %3d  train %.4f  val %.4f  val acc %.3f  val auc %.3f",
                     epoch + 1, total / len(x_tr), va_loss, va_acc, va_auc)

    te_loss, te_acc, te_auc = score(model, *test)
    log.info("test loss %.4f  acc %.3f  auc %.3f", te_loss, te_acc, te_auc)


if __name__ == "__main__":
    main()
