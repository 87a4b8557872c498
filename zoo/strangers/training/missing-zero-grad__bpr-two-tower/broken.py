"""BPR matrix factorisation with a user tower and an item tower, each with its own optimiser."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.default_rng(42)
torch.manual_seed(42)

# ---- implicit feedback: users like items near their taste vector -----------------------------
N_USERS, N_ITEMS, TASTE, LIKES = 300, 200, 4, 24
user_taste = rng.normal(size=(N_USERS, TASTE))
genre = rng.normal(size=(N_ITEMS, TASTE))
age = rng.integers(0, 6, N_USERS)
age_taste = rng.normal(size=(6, TASTE))
affinity = (0.7 * user_taste + 0.7 * age_taste[age]) @ genre.T + rng.gumbel(size=(N_USERS, N_ITEMS)) * 0.7
ranked = np.argsort(-affinity, axis=1)[:, :LIKES]
ranked = rng.permuted(ranked, axis=1)
train_pos, test_pos = ranked[:, 6:], ranked[:, :6]
seen = np.zeros((N_USERS, N_ITEMS), bool)
seen[np.arange(N_USERS)[:, None], train_pos] = True
pairs = np.stack([np.repeat(np.arange(N_USERS), train_pos.shape[1]), train_pos.ravel()], 1)


class UserTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.id = nn.Embedding(N_USERS, dim)
        self.age = nn.Embedding(6, dim)
        self.proj = nn.Linear(2 * dim, dim)
        nn.init.normal_(self.id.weight, std=0.1)

    def forward(self, u):
        return self.proj(torch.cat([self.id(u), self.age(torch.as_tensor(age)[u])], -1))


class ItemTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.id = nn.Embedding(N_ITEMS, dim)
        self.bias = nn.Embedding(N_ITEMS, 1)
        nn.init.normal_(self.id.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, i):
        return self.id(i), self.bias(i).squeeze(-1)


def batches(size):
    order = rng.permutation(len(pairs))
    for lo in range(0, len(order), size):
        u, pos = pairs[order[lo:lo + size]].T
        neg = rng.integers(0, N_ITEMS, len(u))
        while (bad := seen[u, neg]).any():
            neg[bad] = rng.integers(0, N_ITEMS, bad.sum())
        yield map(torch.as_tensor, (u.copy(), pos.copy(), neg))


def recall_at(k):
    with torch.no_grad():
        emb, bias = items(torch.arange(N_ITEMS))
        score = users(torch.arange(N_USERS)) @ emb.T + bias
    score[torch.as_tensor(seen)] = -float("inf")
    top = score.topk(k, dim=1).indices.numpy()
    return np.mean([len(np.intersect1d(t, p)) / len(p) for t, p in zip(top, test_pos)])


users, items = UserTower(12), ItemTower(12)
opt_users = torch.optim.Adam(users.parameters(), lr=5e-3)
opt_items = torch.optim.Adam(items.parameters(), lr=5e-3)

print(f"recall@20 untrained {recall_at(20):.3f}")
for epoch in range(1, 41):
    total, n = 0.0, 0
    for u, pos, neg in batches(256):
        vec = users(u)
        (pe, pb), (ne, nb) = items(pos), items(neg)
        margin = (vec * (pe - ne)).sum(-1) + pb - nb
        rank_loss = -F.logsigmoid(margin).mean()
        loss = rank_loss + 0.02 * (vec.pow(2).sum(-1) + pe.pow(2).sum(-1) + ne.pow(2).sum(-1)).mean()
        opt_items.zero_grad()
        loss.backward()
        opt_users.step()
        opt_items.step()
        total += rank_loss.item() * len(u)
        n += len(u)
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d}  bpr loss {total / n:.4f}  recall@20 {recall_at(20):.3f}")
popular = np.argsort(-seen.sum(0))
pop = np.mean([len(np.intersect1d([i for i in popular if not seen[u, i]][:20], test_pos[u])) / 6 for u in range(N_USERS)])
print(f"final recall@20 {recall_at(20):.3f}   (popularity baseline {pop:.3f})")
