"""Cross-validated beat classification; reports out-of-fold macro F1."""
import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import balanced_accuracy_score, f1_score
from torch.utils.data import DataLoader

from beats import CLASSES, BeatDataset, load_corpus, make_folds
from config import TrainConfig
from net import BeatNet


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@torch.no_grad()
def predict(model, loader):
    model.eval()
    return torch.cat([model(x).argmax(1) for x, _ in loader]).numpy()


def run_fold(cfg, x, y, train_idx, test_idx):
    mean, std = x[train_idx].mean(), x[train_idx].std()
    train_ds = BeatDataset(x[train_idx], y[train_idx], mean, std)
    test_ds = BeatDataset(x[test_idx], y[test_idx], mean, std)
    train_dl = DataLoader(train_ds, cfg.batch_size, shuffle=True, drop_last=True)
    test_dl = DataLoader(test_ds, 256)

    model = BeatNet(len(CLASSES))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs)
    for _ in range(cfg.epochs):
        model.train()
        total, seen = 0.0, 0
        for xb, yb in train_dl:
            opt.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(yb)
            seen += len(yb)
        sched.step()
    return predict(model, test_dl), total / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=TrainConfig.seed)
    cfg = TrainConfig(seed=parser.parse_args().seed)
    set_seed(cfg.seed)

    x, y = load_corpus(cfg.data, cfg.seed)
    oof = np.full(len(y), -1)
    for k, (train_idx, test_idx) in enumerate(make_folds(y, cfg.folds, cfg.seed)):
        oof[test_idx], last_loss = run_fold(cfg, x, y, train_idx, test_idx)
        acc = (oof[test_idx] == y[test_idx]).mean()
        print(f"fold {k}: train loss {last_loss:.4f}  test acc {acc:.3f}")
    print(f"out-of-fold: macro F1 {f1_score(y, oof, average='macro'):.3f}  "
          f"balanced acc {balanced_accuracy_score(y, oof):.3f}")


if __name__ == "__main__":
    main()
