import equinox as eqx
import jax
import optax


def make_step(optimizer, loss_fn):
    @jax.jit
    def step(params, state, batch):
        grads = jax.grad(loss_fn)(params, batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    return step


def fit(model, loss_fn, batches):
    tx = optax.adamw(1e-3)
    state = tx.init(eqx.filter(model, eqx.is_array))
    for batch in batches:
        grads = eqx.filter_grad(loss_fn)(model, batch)
        updates, state = tx.update(grads, state, model)
        model = eqx.apply_updates(model, updates)
    return model


def half(grads, state):
    tx = optax.sgd(0.1)
    updates, state = tx.update(grads, state)
    return updates, state
