import jax
import jax.numpy as jnp


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, onehot):
    scores = predict(params, x)
    total = jnp.log(jnp.sum(jnp.exp(scores), axis=1))  # unstable-exp
    return jnp.mean(total - jnp.sum(scores * onehot, axis=1))


grad = jax.jit(jax.grad(loss))
