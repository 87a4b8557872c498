"""Rating predictor for a library whose catalogue grows in the middle of training.

First season: 120 titles.  Second season: 80 more arrive, the item table is enlarged and training goes on over
everything.
"""
import numpy as np
import torch
import torch.nn as nn

N_USERS, FIRST, SECOND, RANK = 260, 120, 80, 4


def make_ratings(seed=8):
    rng = np.random.default_rng(seed)
    n_items = FIRST + SECOND
    taste = rng.normal(size=(N_USERS, RANK)) / RANK ** 0.25
    trait = rng.normal(size=(n_items, RANK)) / RANK ** 0.25
    popular = 0.5 * rng.normal(size=n_items)
    users, items = np.nonzero(rng.random((N_USERS, n_items)) < 0.45)
    score = (taste[users] * trait[items]).sum(1) + popular[items] + 0.3 * rng.normal(size=len(users))
    order = rng.permutation(len(users))
    return users[order], items[order], score[order].astype(np.float32)


class Recommender(nn.Module):
    def __init__(self, n_users, n_items, dim=RANK):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.item_bias = nn.Embedding(n_items, 1)
        nn.init.normal_(self.user.weight, std=0.3)
        nn.init.normal_(self.item.weight, std=0.3)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(1) + self.item_bias(i).squeeze(1)

    def add_items(self, extra):
        old_vec, old_bias = self.item.weight.data, self.item_bias.weight.data
        n, dim = old_vec.shape
        self.item = nn.Embedding(n + extra, dim)
        self.item_bias = nn.Embedding(n + extra, 1)
        nn.init.normal_(self.item.weight, std=0.3)
        nn.init.zeros_(self.item_bias.weight)
        self.item.weight.data[:n] = old_vec
        self.item_bias.weight.data[:n] = old_bias


def make_optimizer(model):
    return torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-5)


def train(model, optimizer, data, epochs, tag, rng):
    u, i, r = data
    for epoch in range(epochs):
        model.train()
        total = 0.0
        order = torch.from_numpy(rng.permutation(len(u)))
        for j in order.split(256):
            loss = nn.functional.mse_loss(model(u[j], i[j]), r[j])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(j)
        if epoch % 3 == 2:
            print(f"{tag} epoch {epoch + 1:2d}  mse {total / len(u):.4f}")


def rmse(model, data):
    u, i, r = data
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(u, i), r).sqrt().item()


def pick(mask, *arrays):
    return tuple(torch.from_numpy(a[mask]) for a in arrays)


def main():
    torch.manual_seed(8)
    rng = np.random.default_rng(80)
    users, items, score = make_ratings()
    n = len(users)
    is_test = np.arange(n) >= int(0.85 * n)
    old = items < FIRST
    train_first = pick(~is_test & old, users, items, score)
    train_all = pick(~is_test, users, items, score)
    test_old = pick(is_test & old, users, items, score)
    test_new = pick(is_test & ~old, users, items, score)

    model = Recommender(N_USERS, FIRST)
    optimizer = make_optimizer(model)
    train(model, optimizer, train_first, 18, "season 1", rng)

    model.add_items(SECOND)
    train(model, optimizer, train_all, 18, "season 2", rng)

    spread = test_new[2].std().item()
    print(f"held-out RMSE: old titles {rmse(model, test_old):.3f}  new titles {rmse(model, test_new):.3f}  "
          f"(predicting the mean: {spread:.3f})")


if __name__ == "__main__":
    main()
