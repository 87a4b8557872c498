# two tower recommender on synthetic ratings
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(3)
rng = np.random.default_rng(3)

N_USERS, N_ITEMS, RATINGS = 400, 250, 24000

# --- data -------------------------------------------------------------
taste = rng.normal(size=(N_USERS, 4))
style = rng.normal(size=(N_ITEMS, 4))
popular = rng.normal(size=N_ITEMS) * 0.4
cells = rng.choice(N_USERS * N_ITEMS, RATINGS, replace=False)
u, i = cells // N_ITEMS, cells % N_ITEMS
r = 3.0 + 0.5 * (taste[u] * style[i]).sum(1) + popular[i] + rng.normal(size=RATINGS) * 0.25

u, i = torch.tensor(u), torch.tensor(i)
r = torch.tensor(r, dtype=torch.float32)
cut1, cut2 = int(RATINGS * 0.8), int(RATINGS * 0.9)
train = slice(0, cut1)
val = slice(cut1, cut2)
test = slice(cut2, RATINGS)
mean_rating = r[train].mean()


# --- model ------------------------------------------------------------
class Tower(nn.Module):
    def __init__(self, n, dim=8, out=4):
        super().__init__()
        self.emb = nn.Embedding(n, dim)
        nn.init.normal_(self.emb.weight, std=0.3)
        self.proj = nn.Linear(dim, out)
        self.bias = nn.Embedding(n, 1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, idx):
        return self.proj(self.emb(idx)), self.bias(idx).squeeze(1)


user_tower = Tower(N_USERS)
item_tower = Tower(N_ITEMS)


def predict(uu, ii):
    a, a0 = user_tower(uu)
    b, b0 = item_tower(ii)
    return mean_rating + (a * b).sum(1) + a0 + b0


def rmse(part):
    with torch.no_grad():
        return ((predict(u[part], i[part]) - r[part]) ** 2).mean().sqrt().item()


# --- training ---------------------------------------------------------
opt = torch.optim.AdamW(user_tower.parameters(), lr=5e-3, weight_decay=0.03)
loss_fn = nn.MSELoss()
ut, it, rt = u[train], i[train], r[train]

best, best_state = float("inf"), None
for epoch in range(24):
    perm = torch.randperm(len(rt))
    s = 0.0
    for k in range(0, len(perm), 128):
        b = perm[k:k + 128]
        opt.zero_grad()
        loss = loss_fn(predict(ut[b], it[b]), rt[b])
        loss.backward()
        opt.step()
        s += loss.item() * len(b)
    v = rmse(val)
    if v < best:
        best = v
        best_state = [{k: t.clone() for k, t in m.state_dict().items()} for m in (user_tower, item_tower)]
    print("epoch", epoch + 1, "train mse %.4f" % (s / len(rt)), "val rmse %.4f" % v)

user_tower.load_state_dict(best_state[0])
item_tower.load_state_dict(best_state[1])
base = (r[test] - mean_rating).pow(2).mean().sqrt().item()
print("test rmse %.4f   (always the mean: %.4f)" % (rmse(test), base))
