"""Entity-embedding network for a purchase / no-purchase table, ported from an old TensorFlow 1 notebook."""
import logging
from types import SimpleNamespace

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("entity")

hp = SimpleNamespace(seed=8, n=8000, epochs=14, batch=128, lr=2e-3, hidden=(64, 32), drop=0.9)


def make_table(n, rng):
    df = pd.DataFrame({
        "store": rng.integers(0, 20, n),
        "segment": rng.integers(0, 8, n),
        "weekday": rng.integers(0, 7, n),
        "price": rng.lognormal(3, 0.4, n),
        "discount": rng.beta(2, 6, n),
        "visits": rng.poisson(3, n).astype(float),
    })
    store, segment = rng.normal(0, 1.0, 20), rng.normal(0, 1.0, 8)
    cross = rng.normal(0, 0.8, (8, 7))
    score = (store[df.store] + segment[df.segment] + cross[df.segment, df.weekday]
             - 1.6 * (np.log(df.price) - 3) + 6 * (df.discount - 0.25) * np.tanh(df.visits / 3) + 0.2 * (df.visits - 3))
    df["bought"] = (rng.random(n) < 1 / (1 + np.exp(-1.3 * score))).astype(int)
    return df


CATS, NUMS = ["store", "segment", "weekday"], ["price", "discount", "visits"]


class EntityNet(nn.Module):
    def __init__(self, cards, n_num, hidden, drop):
        super().__init__()
        self.emb = nn.ModuleList(nn.Embedding(c, min(8, (c + 1) // 2)) for c in cards)
        width = sum(e.embedding_dim for e in self.emb) + n_num
        blocks = []
        for h in hidden:
            blocks += [nn.Linear(width, h), nn.ReLU(), nn.Dropout(drop)]
            width = h
        self.body = nn.Sequential(*blocks)
        self.out = nn.Linear(width, 1)

    def forward(self, cat, num):
        parts = [e(cat[:, i]) for i, e in enumerate(self.emb)]
        return self.out(self.body(torch.cat(parts + [num], dim=1))).squeeze(1)


def to_tensors(df, mean, std):
    num = ((df[NUMS] - mean) / std).to_numpy(np.float32)
    return torch.tensor(df[CATS].to_numpy()), torch.tensor(num), torch.tensor(df.bought.to_numpy(np.float32))


def predict(model, cat, num):
    model.eval()
    with torch.no_grad():
        return torch.sigmoid(model(cat, num)).numpy()


def main():
    torch.manual_seed(hp.seed)
    df = make_table(hp.n, np.random.default_rng(hp.seed))
    train_df, valid_df = train_test_split(df, test_size=0.25, random_state=hp.seed, stratify=df.bought)
    mean, std = train_df[NUMS].mean(), train_df[NUMS].std()
    cat, num, y = to_tensors(train_df, mean, std)
    vcat, vnum, vy = to_tensors(valid_df, mean, std)

    model = EntityNet([20, 8, 7], len(NUMS), hp.hidden, hp.drop)
    opt = torch.optim.AdamW(model.parameters(), lr=hp.lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, hp.epochs)
    bce = nn.BCEWithLogitsLoss()
    log.info("train %d  valid %d  positives %.3f", len(y), len(vy), y.mean())
    for epoch in range(hp.epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(y)).split(hp.batch):
            opt.zero_grad()
            loss = bce(model(cat[idx], num[idx]), y[idx])
            loss.backward()
            opt.step()
            losses.append(loss.item() * len(idx))
        sched.step()
        p = predict(model, vcat, vnum)
        log.info("epoch %2d  train loss %.4f  valid logloss %.4f  valid AUC %.4f",
                 epoch, sum(losses) / len(y), log_loss(vy, p), roc_auc_score(vy, p))


if __name__ == "__main__":
    main()
