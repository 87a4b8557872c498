"""Hybrid rating predictor: latent factors per user/movie plus a small content network.

The latent tables get Adam with a large rate, the content network AdamW with a small one
and weight decay.  Ratings are simulated (0.5..5 stars, half-star steps).
"""
import argparse
import math
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def simulate(n_users, n_movies, n_ratings, seed):
    rng = np.random.default_rng(seed)
    k = 4
    p = rng.normal(0, 0.55, (n_users, k))
    q = rng.normal(0, 0.55, (n_movies, k))
    bu = rng.normal(0, 0.35, n_users)
    bm = rng.normal(0, 0.45, n_movies)
    genre = rng.dirichlet(np.ones(6) * 0.4, n_movies)
    age = rng.uniform(-1, 1, n_users)
    taste = rng.normal(0, 0.7, 6)

    pairs = rng.choice(n_users * n_movies, n_ratings, replace=False)
    u, m = pairs // n_movies, pairs % n_movies
    mean = 3.3 + bu[u] + bm[m] + (p[u] * q[m]).sum(1) + age[u] * (genre[m] @ taste)
    stars = np.clip(np.round(2 * (mean + rng.normal(0, 0.3, n_ratings))) / 2, 0.5, 5)
    content = np.concatenate([genre[m], age[u][:, None], age[u][:, None] * genre[m]], 1)
    return (torch.from_numpy(u), torch.from_numpy(m),
            torch.from_numpy(content).float(), torch.from_numpy(stars).float())


class Factors(nn.Module):
    def __init__(self, n_users, n_movies, dim):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.movie = nn.Embedding(n_movies, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.movie_bias = nn.Embedding(n_movies, 1)
        for table in (self.user, self.movie):
            nn.init.normal_(table.weight, std=0.1)
        for table in (self.user_bias, self.movie_bias):
            nn.init.zeros_(table.weight)

    def forward(self, u, m):
        inter = (self.user(u) * self.movie(m)).sum(-1)
        return inter + self.user_bias(u).squeeze(-1) + self.movie_bias(m).squeeze(-1)


class ContentNet(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, hidden), nn.GELU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def predict(factors, content_net, mu, batch):
    u, m, c, _ = batch
    return mu + factors(u, m) + content_net(c)


@torch.no_grad()
def rmse(factors, content_net, mu, data):
    factors.eval(), content_net.eval()
    out = predict(factors, content_net, mu, data)
    factors.train(), content_net.train()
    return math.sqrt(F.mse_loss(out, data[3]).item())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--users", type=int, default=300)
    ap.add_argument("--movies", type=int, default=200)
    ap.add_argument("--ratings", type=int, default=18000)
    ap.add_argument("--dim", type=int, default=4)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--lr-factors", type=float, default=0.02)
    ap.add_argument("--lr-content", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=7)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    data = simulate(args.users, args.movies, args.ratings, args.seed)
    order = torch.randperm(args.ratings)
    cut = int(0.85 * args.ratings)
    train = [t[order[:cut]] for t in data]
    test = [t[order[cut:]] for t in data]
    mu = train[3].mean()

    factors = Factors(args.users, args.movies, args.dim)
    content_net = ContentNet(train[2].shape[1], 32)
    opt_factors = torch.optim.Adam(factors.parameters(), lr=args.lr_factors)
    opt_content = torch.optim.AdamW(content_net.parameters(), lr=args.lr_content)

    baseline = (test[3] - mu).pow(2).mean().sqrt()
    print(f"{cut} train / {args.ratings - cut} test ratings, global-mean rmse {baseline:.3f}")
    t0 = time.time()
    for epoch in range(args.epochs):
        perm = torch.randperm(cut)
        running = 0.0
        for start in range(0, cut, args.batch):
            idx = perm[start:start + args.batch]
            batch = [t[idx] for t in train]
            loss = F.mse_loss(predict(factors, content_net, mu, batch), batch[3])
            l2 = (factors.user(batch[0]).pow(2).sum(-1) + factors.movie(batch[1]).pow(2).sum(-1)).mean()

            opt_content.zero_grad()
            (loss + 0.02 * l2).backward()
            opt_content.step()
            opt_factors.step()
            running += loss.item() * len(idx)
        if epoch % 2 == 0 or epoch == args.epochs - 1:
            print(f"epoch {epoch:2d}  train mse {running / cut:.4f}  [{time.time() - t0:.1f}s]")

    print(f"test rmse {rmse(factors, content_net, mu, test):.3f}")


if __name__ == "__main__":
    main()
