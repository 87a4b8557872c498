import numpy as np

rng = np.random.default_rng(0)
taste = np.exp(rng.normal(0, 1.8, size=(5, 40)))
shares = taste / taste.sum(1, keepdims=True)
other = np.exp(1.2 * rng.standard_normal(40))
weights = other / other.sum()
print(rng.choice(40, p=weights), shares.shape)
