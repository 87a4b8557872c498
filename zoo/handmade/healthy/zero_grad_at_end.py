"""Matrix factorisation of user-item ratings with biases."""

import torch
from torch import nn

torch.manual_seed(31)

N_USERS, N_ITEMS, TRUE_RANK = 200, 150, 3
user_taste = torch.randn(N_USERS, TRUE_RANK)
item_style = torch.randn(N_ITEMS, TRUE_RANK)
true_scores = user_taste @ item_style.T / TRUE_RANK**0.5 + 0.3 * torch.randn(N_ITEMS)

observed = torch.randperm(N_USERS * N_ITEMS)[:15000]
users, items = observed // N_ITEMS, observed % N_ITEMS
ratings = true_scores[users, items] + 0.2 * torch.randn(len(observed))

tr, te = slice(0, 12000), slice(12000, None)
center, scale = ratings[tr].mean(), ratings[tr].std()
ratings = (ratings - center) / scale


class Factorizer(nn.Module):
    def __init__(self, n_users, n_items, rank):
        super().__init__()
        self.user = nn.Embedding(n_users, rank)
        self.item = nn.Embedding(n_items, rank)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.3)
        for emb in (self.user_bias, self.item_bias):
            nn.init.zeros_(emb.weight)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(dim=1)
        return dot + self.user_bias(u).squeeze(1) + self.item_bias(i).squeeze(1)


def rmse(model, part):
    model.eval()
    with torch.no_grad():
        err = model(users[part], items[part]) - ratings[part]
    model.train()
    return err.pow(2).mean().sqrt().item()


model = Factorizer(N_USERS, N_ITEMS, rank=4)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
loss_fn = nn.MSELoss()
batch = 200

for epoch in range(20):
    order = torch.randperm(12000)
    total = 0.0
    for start in range(0, 12000, batch):
        pick = order[start : start + batch]
        pred = model(users[pick], items[pick])
        loss = loss_fn(pred, ratings[pick])
        loss.backward()
        opt.step()
        total += loss.item() * len(pick)
        for p in model.parameters():
            p.grad = None
    if epoch % 2 == 1:
        print(f"epoch {epoch + 1:2d} train mse {total / 12000:.4f} test rmse {rmse(model, te):.4f}")

print(f"final test rmse {rmse(model, te):.4f}")
