import torch
import torch.nn as nn
import torch.nn.functional as F


class NCF(nn.Module):
    def __init__(self, n_users, n_items, dim=64):
        super().__init__()
        self.u, self.i = nn.Embedding(n_users, dim), nn.Embedding(n_items, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 128), nn.ReLU(), nn.Dropout(0.4), nn.Linear(128, 1))

    def forward(self, u, i):
        return self.mlp(torch.cat([self.u(u), self.i(i)], dim=-1)).squeeze(-1)


def train_epoch(model, loader, opt):
    model.train()
    for u, i, r in loader:
        opt.zero_grad()
        F.mse_loss(model(u, i), r).backward()
        opt.step()


def rmse(model, loader):
    se, n = 0.0, 0
    with torch.no_grad():
        for u, i, r in loader:
            se += F.mse_loss(model(u, i), r, reduction="sum").item()
            n += r.numel()
    return (se / n) ** 0.5


def run(train_loader, val_loader, n_users, n_items):
    torch.manual_seed(0)
    model = NCF(n_users, n_items)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-6)
    for epoch in range(15):
        train_epoch(model, train_loader, opt)
        print(epoch, "val rmse", rmse(model, val_loader))
