"""Matrix factorisation with biases for film ratings (1 to 5 stars)."""
import numpy as np
import torch
import torch.nn as nn

SEED = 17
N_USERS, N_FILMS, N_RATINGS = 300, 200, 18000
DIM = 4


def make_ratings(rng):
    """Every (user, film) pair occurs at most once."""
    taste = rng.normal(0, 1, (N_USERS, 3))
    style = rng.normal(0, 1, (N_FILMS, 3))
    user_bias = rng.normal(0, 0.4, N_USERS)
    film_bias = rng.normal(0, 0.5, N_FILMS)
    cells = rng.choice(N_USERS * N_FILMS, size=N_RATINGS, replace=False)
    users, films = cells // N_FILMS, cells % N_FILMS
    score = 3.3 + user_bias[users] + film_bias[films] + 0.6 * (taste[users] * style[films]).sum(1)
    score = score + rng.normal(0, 0.3, N_RATINGS)
    return users, films, np.clip(np.round(score), 1, 5)


class MF(nn.Module):
    def __init__(self, n_users, n_films, dim, mean_rating):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, dim)
        self.film_factors = nn.Embedding(n_films, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.film_bias = nn.Embedding(n_films, 1)
        nn.init.normal_(self.user_factors.weight, std=0.1)
        nn.init.normal_(self.film_factors.weight, std=0.1)
        nn.init.zeros_(self.user_bias.weight)
        nn.init.zeros_(self.film_bias.weight)
        self.register_buffer("mean_rating", torch.tensor(mean_rating))

    def forward(self, u, f):
        dot = (self.user_factors(u) * self.film_factors(f)).sum(dim=1)
        return self.mean_rating + dot + self.user_bias(u).squeeze(1) + self.film_bias(f).squeeze(1)


def rmse(model, u, f, r):
    model.eval()
    with torch.no_grad():
        return torch.sqrt(((model(u, f) - r) ** 2).mean()).item()


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    users, films, stars = make_ratings(rng)

    order = rng.permutation(N_RATINGS)
    n_test = n_val = N_RATINGS // 10
    parts = {"test": order[:n_test], "val": order[n_test:n_test + n_val], "train": order[n_test + n_val:]}
    data = {
        name: (torch.tensor(users[i]), torch.tensor(films[i]), torch.tensor(stars[i], dtype=torch.float32))
        for name, i in parts.items()
    }
    u, f, r = data["train"]

    model = MF(N_USERS, N_FILMS, DIM, r.mean().item())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-5)
    loss_fn = nn.MSELoss()
    batch = 256

    for epoch in range(1, 22):
        model.train()
        perm = torch.randperm(len(r))
        total = 0.0
        for start in range(0, len(perm), batch):
            idx = perm[start:start + batch]
            optimizer.zero_grad()
            loss = loss_fn(model(u[idx], f[idx]), r[idx])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        print(f"epoch {epoch:2d}: train mse {total / len(perm):.4f}, val rmse {rmse(model, *data['val']):.4f}")

    constant = torch.sqrt(((data["test"][2] - r.mean()) ** 2).mean()).item()
    print(f"test rmse {rmse(model, *data['test']):.4f} (mean rating: {constant:.4f})")


if __name__ == "__main__":
    main()
