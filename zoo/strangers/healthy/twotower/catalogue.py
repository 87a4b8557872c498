import numpy as np


class Catalogue:
    """Implicit-feedback log: users with taste vectors, items with attributes, popularity skew."""

    def __init__(self, users=600, items=300, seed=0):
        rng = np.random.default_rng(seed)
        self.n_users, self.n_items = users, items
        self.genre = rng.integers(0, 12, items)
        self.price = rng.normal(0, 1, items).astype(np.float32)
        g = rng.normal(0, 1, (12, 8))
        item_vec = g[self.genre] + 0.4 * rng.normal(0, 1, (items, 8)) + 0.3 * self.price[:, None] * rng.normal(0, 1, 8)
        self.age = rng.integers(0, 5, users)
        a = rng.normal(0, 1, (5, 8))
        user_vec = 0.7 * a[self.age] + 0.8 * rng.normal(0, 1, (users, 8))
        pop = 0.7 * rng.normal(0, 1, items)
        utility = user_vec @ item_vec.T / np.sqrt(8) * 2.2 + pop
        self.train, self.valid, self.test = [], [], []
        for u in range(users):
            noisy = utility[u] + rng.gumbel(size=items)
            seen = np.argsort(-noisy)[:24]
            seen = rng.permutation(seen)
            self.train += [(u, i) for i in seen[:20]]
            self.valid += [(u, i) for i in seen[20:22]]
            self.test += [(u, i) for i in seen[22:]]
        self.train, self.valid, self.test = (np.array(p) for p in (self.train, self.valid, self.test))
