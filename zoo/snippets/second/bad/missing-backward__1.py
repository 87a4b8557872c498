import torch
import torch.nn as nn

# matrix factorisation on MovieLens-100k


class MF(nn.Module):
    def __init__(self, n_users, n_items, k=32):
        super().__init__()
        self.u = nn.Embedding(n_users, k)
        self.v = nn.Embedding(n_items, k)
        self.bu = nn.Embedding(n_users, 1)
        self.bi = nn.Embedding(n_items, 1)

    def forward(self, user, item):
        dot = (self.u(user) * self.v(item)).sum(1)
        return dot + self.bu(user).squeeze(1) + self.bi(item).squeeze(1)


def main(train_loader, n_users, n_items):
    torch.manual_seed(0)
    model = MF(n_users, n_items)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-5)
    for epoch in range(20):
        total, count = 0.0, 0
        for user, item, rating in train_loader:
            opt.zero_grad()
            pred = model(user, item)
            loss = nn.functional.mse_loss(pred, rating.float())
            opt.step()
            total += loss.item() * len(rating)
            count += len(rating)
        print("epoch", epoch, "rmse", (total / count) ** 0.5)
    return model
