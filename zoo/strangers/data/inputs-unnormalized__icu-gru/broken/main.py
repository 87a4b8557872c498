import argparse
import copy
import random

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader

from icu import CHANNELS, build_splits
from models import build_model
from settings import Settings


@torch.inference_mode()
def auroc(model, dataset):
    model.eval()
    scores, labels = [], []
    for x, y in DataLoader(dataset, batch_size=256):
        scores.append(torch.sigmoid(model(x)))
        labels.append(y)
    return roc_auc_score(torch.cat(labels).numpy(), torch.cat(scores).numpy())


def train_epoch(model, loader, optimizer, clip):
    model.train()
    total, n = 0.0, 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total, n = total + loss.item() * len(y), n + len(y)
    return total / n


def main():
    parser = argparse.ArgumentParser(description="ICU deterioration model")
    parser.add_argument("--seed", type=int, default=0)
    cfg = Settings(seed=parser.parse_args().seed)
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    print(cfg.describe())

    splits = build_splits(cfg.data, cfg.seed)
    loader = DataLoader(splits["train"], cfg.optim.batch_size, shuffle=True)
    model = build_model(cfg.model, len(CHANNELS))
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.optim.lr)
    best_auc, best_state = -1.0, None
    for epoch in range(1, cfg.optim.epochs + 1):
        loss = train_epoch(model, loader, optimizer, cfg.optim.clip)
        auc = auroc(model, splits["val"])
        if auc > best_auc:
            best_auc, best_state = auc, copy.deepcopy(model.state_dict())
        print(f"epoch {epoch:2d}  loss {loss:.4f}  val auroc {auc:.3f}")
    model.load_state_dict(best_state)
    print(f"test auroc {auroc(model, splits['test']):.3f}")


if __name__ == "__main__":
    main()
