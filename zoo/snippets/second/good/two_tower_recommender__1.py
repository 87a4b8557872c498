import torch
import torch.nn as nn
import torch.nn.functional as F


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, dim=64):
        super().__init__()
        self.user = nn.Sequential(nn.Embedding(n_users, dim), nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.item = nn.Sequential(nn.Embedding(n_items, dim), nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, u, i):
        return F.normalize(self.user(u), dim=-1), F.normalize(self.item(i), dim=-1)


def in_batch_softmax(model, u, i):
    zu, zi = model(u, i)
    logits = zu @ zi.t() * model.scale.exp()
    same = i[:, None] == i[None, :]
    same.fill_diagonal_(False)
    logits = logits.masked_fill(same, -1e9)
    return F.cross_entropy(logits, torch.arange(len(u), device=u.device))


def train(model, loader, epochs, device):
    model.to(device).train()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        total, n = 0.0, 0
        for u, i in loader:
            u, i = u.to(device), i.to(device)
            opt.zero_grad()
            loss = in_batch_softmax(model, u, i)
            loss.backward()
            opt.step()
            total += loss.item() * len(u)
            n += len(u)
        print(epoch, total / n)
