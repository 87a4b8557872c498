"""Podcast recommender: user/show factors plus a small content network, explicit ratings.

Parameter groups follow the usual recipe: weight decay on matrices, none on biases, norms and embeddings.
"""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Ratings(Dataset):
    def __init__(self, users, shows, content, stars):
        self.users, self.shows = torch.as_tensor(users), torch.as_tensor(shows)
        self.content = torch.as_tensor(content, dtype=torch.float32)
        self.stars = torch.as_tensor(stars, dtype=torch.float32)

    def __len__(self):
        return len(self.stars)

    def __getitem__(self, i):
        return {"user": self.users[i], "show": self.shows[i], "content": self.content[self.shows[i]], "stars": self.stars[i]}


def simulate(n_users=250, n_shows=120, n=24000, seed=4):
    rng = np.random.default_rng(seed)
    p, q = rng.normal(size=(n_users, 3)), rng.normal(size=(n_shows, 3))
    content = rng.normal(size=(n_shows, 6))
    bu, bs = rng.normal(0, 0.4, n_users), 0.5 * np.tanh(content[:, 0] + content[:, 1])
    pairs = rng.choice(n_users * n_shows, size=n, replace=False)
    u, s = pairs // n_shows, pairs % n_shows
    stars = 3.2 + bu[u] + bs[s] + 0.6 * (p[u] * q[s]).sum(1) + rng.normal(0, 0.3, n)
    return u, s, content, stars, n_users, n_shows


class FactorModel(nn.Module):
    def __init__(self, n_users, n_shows, content_dim, k=4):
        super().__init__()
        self.user_embed = nn.Embedding(n_users, k)
        self.show_embed = nn.Embedding(n_shows, k)
        self.user_bias_embed = nn.Embedding(n_users, 1)
        nn.init.normal_(self.user_embed.weight, std=0.3)
        nn.init.normal_(self.show_embed.weight, std=0.3)
        nn.init.zeros_(self.user_bias_embed.weight)
        self.content = nn.Sequential(nn.Linear(content_dim, 24), nn.LayerNorm(24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, batch):
        u, s = self.user_embed(batch["user"]), self.show_embed(batch["show"])
        return (u * s).sum(1) + self.user_bias_embed(batch["user"]).squeeze(1) + self.content(batch["content"]).squeeze(1)


def make_optimizer(model, lr, weight_decay):
    named = list(model.named_parameters())
    decay = [p for name, p in named if p.ndim >= 2 and "embed" not in name]
    no_decay = [p for name, p in named if p.ndim < 2]
    return torch.optim.AdamW(
        [{"params": decay, "weight_decay": weight_decay}, {"params": no_decay, "weight_decay": 0.0}], lr=lr)


@torch.no_grad()
def rmse(model, loader, centre):
    model.eval()
    se = n = 0
    for batch in loader:
        se += (model(batch) + centre - batch["stars"]).pow(2).sum().item()
        n += len(batch["stars"])
    return (se / n) ** 0.5


def main():
    torch.manual_seed(4)
    u, s, content, stars, n_users, n_shows = simulate()
    n_train = 20000
    train = Ratings(u[:n_train], s[:n_train], content, stars[:n_train])
    test = Ratings(u[n_train:], s[n_train:], content, stars[n_train:])
    centre = train.stars.mean()
    print(f"baseline RMSE (train mean) {(test.stars - centre).pow(2).mean().sqrt():.4f}")

    model = FactorModel(n_users, n_shows, content.shape[1])
    optimizer = make_optimizer(model, lr=1e-2, weight_decay=1e-2)
    epochs = 10
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    train_loader = DataLoader(train, batch_size=256, shuffle=True)
    test_loader = DataLoader(test, batch_size=1000)
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for batch in train_loader:
            loss = nn.functional.mse_loss(model(batch), batch["stars"] - centre)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch["stars"])
        scheduler.step()
        print(f"epoch {epoch:2d}: train RMSE {(total / len(train)) ** 0.5:.4f}  test RMSE {rmse(model, test_loader, centre):.4f}")


if __name__ == "__main__":
    main()
