"""Search log simulator: (query, product title) pairs that share hidden attributes."""
import itertools

import numpy as np
import torch

ATTRS = (14, 10, 8, 6)       # type, brand, colour, size
SYNONYMS = 3
Q_FILL, T_FILL = 20, 40

Q_VOCAB = sum(ATTRS) * SYNONYMS + Q_FILL
T_VOCAB = sum(ATTRS) * SYNONYMS + T_FILL
_BASE = np.concatenate([[0], np.cumsum(ATTRS)[:-1]])


def _words(attr_rows, n_fill, fill_size, rng):
    ids = (_BASE + attr_rows) * SYNONYMS + rng.integers(0, SYNONYMS, attr_rows.shape)
    fill = sum(ATTRS) * SYNONYMS + rng.integers(0, fill_size, (len(attr_rows), n_fill))
    return torch.from_numpy(np.concatenate([ids, fill], axis=1))


def load_pairs(seed, n_valid=400, n_test=400):
    """Every attribute combination is one product; products are disjoint between the parts."""
    rng = np.random.default_rng(seed)
    combos = np.array(list(itertools.product(*map(range, ATTRS))))
    combos = combos[rng.permutation(len(combos))]
    parts = {}
    for name, rows in (("valid", combos[:n_valid]), ("test", combos[n_valid:n_valid + n_test]),
                       ("train", combos[n_valid + n_test:])):
        parts[name] = (_words(rows, 1, Q_FILL, rng), _words(rows, 4, T_FILL, rng))
    return parts
