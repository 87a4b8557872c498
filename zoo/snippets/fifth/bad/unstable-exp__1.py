import jax
import jax.numpy as jnp
import optax

def softmax_ce(logits, onehot):
    p = jnp.exp(logits) / jnp.exp(logits).sum(axis=-1, keepdims=True)
    return -jnp.mean(jnp.sum(onehot * jnp.log(p + 1e-9), axis=-1))

@jax.jit
def train_step(params, opt_state, x, y):
    def loss_fn(p):
        return softmax_ce(apply_fn(p, x), y)
    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss
