import numpy as np
import torch


class TripletSampler:
    """Yields (user, positive, negatives); negatives are items the user has no training interaction with."""

    def __init__(self, histories, n_items, n_neg, batch, seed):
        self.rng = np.random.default_rng(seed)
        self.users = np.concatenate([np.full(len(h), u) for u, h in enumerate(histories)])
        self.items = np.concatenate(histories)
        self.seen = np.zeros((len(histories), n_items), dtype=bool)
        self.seen[self.users, self.items] = True
        self.n_items, self.n_neg, self.batch = n_items, n_neg, batch

    def __len__(self):
        return -(-len(self.users) // self.batch)

    def __iter__(self):
        order = self.rng.permutation(len(self.users))
        for lo in range(0, len(order), self.batch):
            pick = order[lo:lo + self.batch]
            u, i = self.users[pick], self.items[pick]
            neg = self.rng.integers(self.n_items, size=(len(pick), self.n_neg))
            while True:
                bad = self.seen[u[:, None], neg]
                if not bad.any():
                    break
                neg[bad] = self.rng.integers(self.n_items, size=int(bad.sum()))
            yield torch.from_numpy(u), torch.from_numpy(i), torch.from_numpy(neg)
