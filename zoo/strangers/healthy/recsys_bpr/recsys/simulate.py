import numpy as np


def simulate_interactions(n_users, n_items, dim, per_user, seed):
    """Gumbel-top-k draws from a low-rank preference model with popularity skew."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(n_users, dim))
    v = rng.normal(size=(n_items, dim))
    pop = 0.6 * rng.normal(size=n_items)
    score = 1.6 * u @ v.T / np.sqrt(dim) * 1.5 + pop
    noisy = score + rng.gumbel(size=score.shape)
    seqs = np.argsort(-noisy, axis=1)[:, :per_user]
    return [rng.permutation(row) for row in seqs]


def leave_last_out(seqs):
    fit = [s[:-2] for s in seqs]
    dev = np.array([s[-2] for s in seqs])
    test = np.array([s[-1] for s in seqs])
    return fit, dev, test
