@partial(jax.jit, static_argnames="train")
def loss_fn(params, x, y, key, train=True):
    logits = model.apply(params, x, deterministic=not train, rngs={"dropout": key})
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, y[:, None], axis=1).mean()

for step in range(1000):
    key, sub = jax.random.split(key)
    grads = jax.grad(loss_fn)(params, *next(batches), sub)
    updates, opt_state = tx.update(grads, opt_state, params)
    params = optax.apply_updates(params, updates)
