import jax
import jax.numpy as jnp
import optax


def init(key, sizes):
    params = []
    for k, (m, n) in zip(jax.random.split(key, len(sizes) - 1), zip(sizes[:-1], sizes[1:])):
        params.append({"w": jax.random.normal(k, (m, n)) * jnp.sqrt(2.0 / m), "b": jnp.zeros(n)})
    return params


def forward(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(forward(params, x)) * jax.nn.one_hot(y, 10), axis=-1))


tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))


@jax.jit
def step(params, state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


def train(x, y, epochs=10, bs=128, seed=0):
    key = jax.random.PRNGKey(seed)
    key, sub = jax.random.split(key)
    params = init(sub, [784, 256, 10])
    state = tx.init(params)
    for _ in range(epochs):
        key, sub = jax.random.split(key)
        perm = jax.random.permutation(sub, len(x))
        for i in range(0, len(x) - bs + 1, bs):
            params, state, loss = step(params, state, x[perm[i:i + bs]], y[perm[i:i + bs]])
    return params
