"""Train the click model and report test log-loss / AUC.

    python train.py
"""
import json
import sys
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from sklearn.metrics import log_loss, roc_auc_score

from features import CARDINALITY, NUMERIC, batches, make_log
from model import ClickNet


@dataclass
class Config:
    n_train: int = 30000
    n_test: int = 6000
    batch_size: int = 256
    epochs: int = 8
    lr: float = 4e-3
    weight_decay: float = 1e-5
    seed: int = 3


def evaluate(net, log):
    net.eval()
    with torch.no_grad():
        prob = torch.sigmoid(net(log.cats, log.nums)).numpy()
    net.train()
    y = log.click.numpy()
    return {"logloss": round(log_loss(y, prob), 4), "auc": round(roc_auc_score(y, prob), 4)}


def run(cfg):
    torch.manual_seed(cfg.seed)
    shuffle = torch.Generator().manual_seed(cfg.seed)
    train_log = make_log(cfg.n_train, seed=100)
    test_log = make_log(cfg.n_test, seed=200)

    net = ClickNet(CARDINALITY, len(NUMERIC))
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    total = cfg.epochs * -(-cfg.n_train // cfg.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=cfg.lr, total_steps=total)

    print(json.dumps(asdict(cfg)))
    for epoch in range(1, cfg.epochs + 1):
        total_loss = 0.0
        for part in batches(train_log, cfg.batch_size, shuffle):
            loss = F.binary_cross_entropy_with_logits(net(part.cats, part.nums), part.click)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total_loss += loss.item() * len(part)
        print(f"[{epoch}/{cfg.epochs}] train logloss {total_loss / cfg.n_train:.4f}", file=sys.stdout)
    print("test", evaluate(net, test_log))


if __name__ == "__main__":
    run(Config())
