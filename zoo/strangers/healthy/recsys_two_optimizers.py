"""
Film recommender (explicit ratings): biased matrix factorisation with sparse embedding tables
plus a small dense side tower for film genres. Split by time: the model always predicts the future.
"""
import numpy as np
import pandas as pd
import torch
from torch import nn

N_USERS, N_FILMS, N_GENRES, N_RATINGS = 300, 150, 8, 30000
SEED = 90


def simulate_log():
    rng = np.random.default_rng(SEED)
    taste = rng.normal(0, 1, (N_USERS, 4))
    traits = rng.normal(0, 1, (N_FILMS, 4))
    genres = (rng.random((N_FILMS, N_GENRES)) < 0.25).astype(np.float32)
    film_mean = genres @ rng.normal(0, 0.25, N_GENRES) + rng.normal(0, 0.15, N_FILMS)
    user_mean = rng.normal(0, 0.35, N_USERS)
    log = pd.DataFrame({
        "ts": np.sort(rng.integers(0, 10**7, N_RATINGS)),
        "user": rng.integers(0, N_USERS, N_RATINGS),
        "film": rng.integers(0, N_FILMS, N_RATINGS),
    })
    affinity = 0.35 * (taste[log.user] * traits[log.film]).sum(1)
    raw = 3.3 + user_mean[log.user] + film_mean[log.film] + affinity + rng.normal(0, 0.3, N_RATINGS)
    log["stars"] = np.clip(np.round(raw * 2) / 2, 0.5, 5.0).astype(np.float32)
    return log, torch.from_numpy(genres)


class Recommender(nn.Module):
    def __init__(self, genres, dim=8):
        super().__init__()
        self.register_buffer("genres", genres)
        self.user_vec = nn.Embedding(N_USERS, dim, sparse=True)
        self.film_vec = nn.Embedding(N_FILMS, dim, sparse=True)
        self.user_bias = nn.Embedding(N_USERS, 1, sparse=True)
        self.film_bias = nn.Embedding(N_FILMS, 1, sparse=True)
        self.tower = nn.Sequential(nn.Linear(N_GENRES, 8), nn.ReLU(), nn.Linear(8, 1))
        for table in (self.user_vec, self.film_vec):
            nn.init.normal_(table.weight, std=0.1)
        for table in (self.user_bias, self.film_bias):
            nn.init.zeros_(table.weight)

    def tables(self):
        return [t.weight for t in (self.user_vec, self.film_vec, self.user_bias, self.film_bias)]

    def forward(self, user, film):
        match = (self.user_vec(user) * self.film_vec(film)).sum(-1, keepdim=True)
        side = self.tower(self.genres[film])
        return (match + self.user_bias(user) + self.film_bias(film) + side).squeeze(-1)


def columns(frame):
    return (torch.from_numpy(frame["user"].to_numpy(copy=True)), torch.from_numpy(frame["film"].to_numpy(copy=True)),
            torch.from_numpy(frame["stars"].to_numpy(copy=True)))


@torch.no_grad()
def rmse(model, part, centre):
    model.eval()
    user, film, stars = part
    guess = (model(user, film) + centre).clamp(0.5, 5.0)
    return (guess - stars).square().mean().sqrt().item()


def main():
    torch.manual_seed(SEED)
    log, genres = simulate_log()
    past, recent = log.iloc[:24000], log.iloc[24000:]
    train, val, test = columns(past), columns(recent.iloc[:3000]), columns(recent.iloc[3000:])
    centre = train[2].mean()
    user, film, stars = train

    model = Recommender(genres)
    sparse_opt = torch.optim.SparseAdam(model.tables(), lr=6e-3)
    dense_opt = torch.optim.AdamW(model.tower.parameters(), lr=2e-3)
    plans = [torch.optim.lr_scheduler.CosineAnnealingLR(o, 12, eta_min=2e-4) for o in (sparse_opt, dense_opt)]
    for epoch in range(12):
        model.train()
        sse = 0.0
        for rows in torch.randperm(len(stars)).split(256):
            err = model(user[rows], film[rows]) - (stars[rows] - centre)
            loss = err.square().mean()
            for opt in (sparse_opt, dense_opt):
                opt.zero_grad()
            loss.backward()
            for opt in (sparse_opt, dense_opt):
                opt.step()
            sse += err.detach().square().sum().item()
        for plan in plans:
            plan.step()
        print(f"epoch {epoch:2d} train rmse {(sse / len(stars)) ** 0.5:.3f} val rmse {rmse(model, val, centre):.3f}")
    constant = (test[2] - centre).square().mean().sqrt().item()
    print(f"test rmse {rmse(model, test, centre):.3f} (always the mean: {constant:.3f})")


if __name__ == "__main__":
    main()
