import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import log_loss, roc_auc_score
from tqdm import trange

rng = np.random.default_rng(17)
torch.manual_seed(17)

N_USERS, N_ITEMS, N_HOURS, N_DEVICES = 120, 100, 24, 3
N_EVENTS = 60_000


def simulate():
    """Impressions with click labels; taste moves with the hour of day and the device."""
    d = 4
    u = rng.normal(size=(N_USERS, d)) * 0.6
    v = rng.normal(size=(N_ITEMS, d))
    hour_taste = np.stack([np.sin(2 * np.pi * np.arange(N_HOURS) / 24 + p) for p in (0, 1.6, 3.1, 4.7)], axis=1)
    device_taste = rng.normal(size=(N_DEVICES, d))
    users = rng.integers(0, N_USERS, N_EVENTS)
    items = rng.integers(0, N_ITEMS, N_EVENTS)
    hours = rng.integers(0, N_HOURS, N_EVENTS)
    devices = rng.integers(0, N_DEVICES, N_EVENTS)
    taste = u[users] + 1.2 * hour_taste[hours] + 0.7 * device_taste[devices]
    logit = (taste * v[items]).sum(1) - 0.3
    clicks = rng.random(N_EVENTS) < 1 / (1 + np.exp(-logit))
    cols = np.stack([users, items, hours, devices], axis=1)
    return torch.from_numpy(cols), torch.from_numpy(clicks.astype(np.float32))


class ContextEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.hour = nn.Embedding(N_HOURS, 16)
        self.device = nn.Embedding(N_DEVICES, 16)
        self.mlp = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, hour, device):
        return self.mlp(torch.cat([self.hour(hour), self.device(device)], dim=1))


class ClickModel(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.user = nn.Embedding(N_USERS, dim)
        self.item = nn.Embedding(N_ITEMS, dim)
        self.context = ContextEncoder(dim)
        self.user_bias = nn.Embedding(N_USERS, 1)
        self.item_bias = nn.Embedding(N_ITEMS, 1)
        self.offset = nn.Parameter(torch.zeros(1))
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.1)
        for emb in (self.user_bias, self.item_bias):
            nn.init.zeros_(emb.weight)

    def forward(self, batch):
        user, item, hour, device = batch.unbind(dim=1)
        query = self.user(user)
        score = (query * self.item(item)).sum(dim=1)
        return score + self.user_bias(user).squeeze(1) + self.item_bias(item).squeeze(1) + self.offset


@torch.no_grad()
def report(model, x, y):
    model.eval()
    p = torch.sigmoid(model(x)).double().numpy()
    return roc_auc_score(y.numpy(), p), log_loss(y.numpy(), p)


x, y = simulate()
order = torch.from_numpy(rng.permutation(N_EVENTS))
train, val, test = order[:48_000], order[48_000:54_000], order[54_000:]
x_train, y_train = x[train], y[train]

model = ClickModel()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.02)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
batch_size = 256

bar = trange(10, desc="epochs", mininterval=5)
for epoch in bar:
    model.train()
    perm = torch.randperm(len(x_train))
    total = 0.0
    for start in range(0, len(perm), batch_size):
        idx = perm[start:start + batch_size]
        loss = loss_fn(model(x_train[idx]), y_train[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    scheduler.step()
    auc, ll = report(model, x[val], y[val])
    bar.write(f"epoch {epoch + 1:2d}  train logloss {total / len(perm):.4f}  val logloss {ll:.4f}  val AUC {auc:.4f}")

auc, ll = report(model, x[test], y[test])
print(f"click rate {y.mean().item():.3f}")
print(f"test logloss {ll:.4f}  test AUC {auc:.4f}")
