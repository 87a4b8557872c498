import jax
import jax.numpy as jnp


def start(key, width, hidden):
    return {
        "into": jax.random.normal(key, (width, hidden)) / width**0.5,
        "again": jnp.zeros((hidden, hidden)),
        "out": jax.random.normal(key, (hidden, 1)) / hidden**0.5,
    }


def predict(p, steps):
    h = jnp.zeros((steps.shape[1], p["again"].shape[0]))
    for x in steps:
        h = jnp.tanh(x @ p["into"] + h @ p["again"])
    return h @ p["out"]


def loss(p, steps, y):
    return jnp.mean((predict(p, steps) - y) ** 2)


params = start(jax.random.PRNGKey(0), 5, 32)
for steps, y in batches:
    grads = jax.grad(loss)(params, steps, y)
    params = jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads)
