import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state, params)  # missing-step
    return params, opt_state, loss


params = {"w": jnp.zeros((3,)), "b": jnp.zeros(())}
state = optimizer.init(params)
for x, y in batches:
    params, state, loss = train_step(params, state, x, y)
