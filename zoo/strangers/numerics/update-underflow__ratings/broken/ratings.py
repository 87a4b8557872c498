import numpy as np
import torch


def simulate(s):
    """Star ratings (1..5) from a low-rank taste model; returns train, valid, test triples without shared pairs."""
    rng = np.random.default_rng(s.seed)
    taste, trait = rng.normal(0, 0.8, (s.n_users, 4)), rng.normal(0, 0.8, (s.n_items, 4))
    mood, quality = rng.normal(0, 0.4, s.n_users), rng.normal(0, 0.6, s.n_items)
    users = np.repeat(np.arange(s.n_users), s.ratings_per_user)
    items = np.concatenate([rng.choice(s.n_items, s.ratings_per_user, replace=False) for _ in range(s.n_users)])
    raw = 3.3 + mood[users] + quality[items] + (taste[users] * trait[items]).sum(1) + rng.normal(0, 0.3, len(users))
    stars = np.clip(np.round(raw), 1, 5)

    order = rng.permutation(len(users))
    cut1, cut2 = int(0.8 * len(order)), int(0.9 * len(order))
    out = []
    for part in (order[:cut1], order[cut1:cut2], order[cut2:]):
        out.append((torch.from_numpy(users[part]), torch.from_numpy(items[part]),
                    torch.tensor(stars[part], dtype=torch.float32)))
    return out
