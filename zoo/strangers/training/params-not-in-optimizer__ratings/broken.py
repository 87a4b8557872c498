#!/usr/bin/env python
# Nightly rating model for the book club catalogue.
# Latent factors + reader/book offsets + a small content term from book metadata.
import logging

import numpy as np
import pandas as pd
import torch
from torch import nn

log = logging.getLogger("ratings")
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")

SEED = 2024
N_READERS, N_BOOKS, N_GENRES = 500, 300, 8
RANK = 4
EPOCHS, BATCH = 40, 128


def simulate_ratings(n_rows=9000):
    """Stand-in for the warehouse query: one row per rating, 1..5 stars with halves."""
    rng = np.random.default_rng(SEED)
    taste, style = rng.normal(0, 1, (N_READERS, 3)), rng.normal(0, 1, (N_BOOKS, 3))
    lenient, quality = rng.normal(0, 0.6, N_READERS), rng.normal(0, 0.65, N_BOOKS)
    genre = rng.integers(0, N_GENRES, N_BOOKS)
    genre_effect = rng.normal(0, 0.3, N_GENRES)
    pairs = rng.choice(N_READERS * N_BOOKS, size=n_rows, replace=False)
    r, b = pairs // N_BOOKS, pairs % N_BOOKS
    stars = 3.55 + lenient[r] + quality[b] + genre_effect[genre[b]] + 0.2 * (taste[r] * style[b]).sum(1)
    stars = stars + rng.normal(0, 0.3, n_rows)
    stars = np.clip(np.round(stars * 2) / 2, 1, 5)
    return pd.DataFrame({"reader": r, "book": b, "genre": genre[b], "stars": stars.astype("float32")})


class RatingModel(nn.Module):
    def __init__(self, n_readers, n_books, n_genres, rank):
        super().__init__()
        self.reader_factors = nn.Embedding(n_readers, rank)
        self.book_factors = nn.Embedding(n_books, rank)
        self.genre = nn.Embedding(n_genres, 8)
        self.content = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
        self.reader_offset = nn.Parameter(torch.zeros(n_readers))
        self.book_offset = nn.Parameter(torch.zeros(n_books))
        for table in (self.reader_factors, self.book_factors):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, reader, book, genre):
        latent = (self.reader_factors(reader) * self.book_factors(book)).sum(-1)
        content = self.content(self.genre(genre)).squeeze(-1)
        return latent + content + self.reader_offset[reader] + self.book_offset[book]


def build_optimizer(model, lr=1e-2, decay=1.0):
    shrink, plain = [], []
    for name, p in model.named_parameters():
        if name.endswith("weight"):
            shrink.append(p)
        elif name.endswith("bias"):
            plain.append(p)
    return torch.optim.AdamW([
        {"params": shrink, "weight_decay": decay},
        {"params": plain, "weight_decay": 0.0},
    ], lr=lr)


def to_tensors(frame):
    cols = [torch.from_numpy(frame[c].to_numpy().copy()) for c in ("reader", "book", "genre")]
    return cols, torch.from_numpy(frame["stars"].to_numpy().copy())


def rmse(model, frame):
    model.eval()
    with torch.no_grad():
        x, y = to_tensors(frame)
        return (model(*x).clamp(1, 5) - y).square().mean().sqrt().item()


def main():
    torch.manual_seed(SEED)
    df = simulate_ratings()
    df = df.sample(frac=1.0, random_state=SEED).reset_index(drop=True)
    n = len(df)
    train, valid, test = df[: int(.8 * n)], df[int(.8 * n): int(.9 * n)], df[int(.9 * n):]
    log.info("rows: train=%d valid=%d test=%d, mean stars %.2f", len(train), len(valid), len(test), train.stars.mean())

    model = RatingModel(N_READERS, N_BOOKS, N_GENRES, RANK)
    optimizer = build_optimizer(model)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
    mse = nn.MSELoss()

    (reader, book, genre), stars = to_tensors(train)
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        perm = torch.randperm(len(stars))
        for idx in perm.split(BATCH):
            pred = model(reader[idx], book[idx], genre[idx])
            loss = mse(pred, stars[idx])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        schedule.step()
        if epoch % 5 == 0 or epoch == EPOCHS - 1:
            log.info("epoch %02d train mse %.4f valid rmse %.4f", epoch, total / len(stars), rmse(model, valid))

    base = float(np.sqrt(((test.stars - train.stars.mean()) ** 2).mean()))
    log.info("test rmse %.4f (global mean baseline %.4f)", rmse(model, test), base)
    for g, part in test.groupby("genre"):
        log.info("  genre %d: %4d ratings, rmse %.3f", g, len(part), rmse(model, part))


if __name__ == "__main__":
    main()
