import numpy as np
import torch

from catalogue import Catalogue
from towers import TwoTower

torch.manual_seed(33)
cat = Catalogue(seed=33)
age, genre = torch.tensor(cat.age), torch.tensor(cat.genre)
price = torch.tensor(cat.price).unsqueeze(1)
pairs = torch.tensor(cat.train)
freq = torch.bincount(pairs[:, 1], minlength=cat.n_items).float() + 1.0
log_q = (freq / freq.sum()).log()
users_all, items_all = torch.arange(cat.n_users), torch.arange(cat.n_items)
seen = torch.zeros(cat.n_users, cat.n_items, dtype=torch.bool)
seen[pairs[:, 0], pairs[:, 1]] = True


def recall_mrr(score, target, exclude, k=20):
    target = torch.tensor(target)
    score = score.masked_fill(exclude, -torch.inf)
    rows = score[target[:, 0]]
    others = rows.scatter(1, target[:, 1:2], -torch.inf)
    rank = (others > rows.gather(1, target[:, 1:2])).sum(1) + 1
    return (rank <= k).float().mean().item(), (1.0 / rank).mean().item()


def score_all(model):
    model.eval()
    with torch.no_grad():
        return model.user(users_all, age) @ model.item(items_all, genre, price).T


model = TwoTower(cat.n_users, 5, cat.n_items, 12)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
popular = freq.log().expand(cat.n_users, -1)
print("popularity  valid recall@20 {:.3f}  mrr {:.3f}".format(*recall_mrr(popular, cat.valid, seen)))

best, kept, bad = 0.0, None, 0
for epoch in range(1, 31):
    model.train()
    losses = []
    for b in torch.randperm(len(pairs)).split(256):
        u, i = pairs[b].T
        loss = model.in_batch_loss(model.user(u, age[u]), model.item(i, genre[i], price[i]), i, log_q)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    r, m = recall_mrr(score_all(model), cat.valid, seen)
    print(f"epoch {epoch:2d}  softmax {np.mean(losses):.3f}  valid recall@20 {r:.3f}  mrr {m:.3f}")
    if r > best:
        best, bad, kept = r, 0, {k: v.clone() for k, v in model.state_dict().items()}
    else:
        bad += 1
        if bad == 5:
            break

model.load_state_dict(kept)
known = seen.clone()
known[cat.valid[:, 0], cat.valid[:, 1]] = True
print("TEST two-tower   recall@20 {:.3f}  mrr {:.3f}".format(*recall_mrr(score_all(model), cat.test, known)))
print("TEST popularity  recall@20 {:.3f}  mrr {:.3f}".format(*recall_mrr(popular, cat.test, known)))
