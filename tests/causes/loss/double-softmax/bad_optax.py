import jax
import jax.numpy as jnp
import optax


def apply(params, x):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    return jax.nn.softmax(h @ params["w2"] + params["b2"])  # double-softmax


def loss_fn(params, x, y):
    out = apply(params, x)
    return optax.softmax_cross_entropy_with_integer_labels(out, y).mean()


@jax.jit
def update(params, opt_state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state
