import jax
import optax


def fit(params, loss, data, steps):
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))
    state = tx.init(params)
    for batch in data:
        grads = jax.grad(loss)(params, batch)
        updates, state = tx.update(grads, state)
        optax.apply_updates(params, updates)  # missing-step
    return params
