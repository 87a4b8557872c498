import jax
import jax.numpy as jnp
import optax


def fit(params, apply_fn, batches, lr=1e-3):
    tx = optax.adam(lr)
    opt_state = tx.init(params)

    def loss_fn(p, x, y):
        logits = apply_fn(p, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    grad_fn = jax.jit(jax.value_and_grad(loss_fn))
    for i, (x, y) in enumerate(batches):
        loss, grads = grad_fn(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        if i % 100 == 0:
            print(i, float(loss))
    return params
