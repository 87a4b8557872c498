import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)
X = jnp.asarray(rng.normal(size=(2048, 10)), dtype=jnp.float32)
Y = jnp.asarray((np.prod(np.sign(X[:, :2]), axis=1) > 0).astype(np.float32))


def init_params(n_in, n_hidden, n_out):
    return {
        "w1": jnp.zeros((n_in, n_hidden)),
        "b1": jnp.zeros(n_hidden),
        "w2": jnp.zeros((n_hidden, n_out)),
        "b2": jnp.zeros(n_out),
    }


def forward(p, x):
    h = jnp.tanh(x @ p["w1"] + p["b1"])
    return (h @ p["w2"] + p["b2"]).squeeze(-1)


def loss_fn(p, x, y):
    return optax.sigmoid_binary_cross_entropy(forward(p, x), y).mean()


params = init_params(10, 32, 1)
tx = optax.adam(1e-2)
state = tx.init(params)


@jax.jit
def step(params, state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


for i in range(1000):
    idx = rng.integers(0, len(X), 128)
    params, state, loss = step(params, state, X[idx], Y[idx])
print(float(loss))
