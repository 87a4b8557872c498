import jax
import jax.numpy as jnp
from jax import grad, jit, random


def init_params(sizes, key):
    keys = random.split(key, len(sizes) - 1)
    return [
        (random.normal(k, (m, n)) * jnp.sqrt(2.0 / m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, y):
    pred = predict(params, x)[:, 0]
    return jnp.mean((pred - y) ** 2)


@jit
def update(params, x, y, lr=1e-2):
    g = grad(loss)(params, x, y)
    return jax.tree_util.tree_map(lambda p, d: p - lr * d, params, g)


def fit(x, y, key, epochs=100, batch=128):
    key, sub = random.split(key)
    params = init_params([x.shape[1], 64, 64, 1], sub)
    for _ in range(epochs):
        key, sub = random.split(key)
        perm = random.permutation(sub, len(x))
        for i in range(0, len(x) - batch + 1, batch):
            idx = perm[i:i + batch]
            params = update(params, x[idx], y[idx])
    return params
