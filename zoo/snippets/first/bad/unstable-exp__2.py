import jax
import jax.numpy as jnp
import optax


def encode(params, x):
    h = jax.nn.relu(x @ params["w1"] + params["b1"])
    z = h @ params["w2"] + params["b2"]
    return z / (jnp.linalg.norm(z, axis=-1, keepdims=True) + 1e-6)


def info_nce(params, a, b, tau=0.01):
    za, zb = encode(params, a), encode(params, b)
    sim = za @ zb.T / tau
    positives = jnp.diag(sim)
    log_norm = jnp.log(jnp.sum(jnp.exp(sim), axis=1))
    return jnp.mean(log_norm - positives)


tx = optax.adamw(1e-3)


@jax.jit
def update(params, opt_state, a, b):
    loss, grads = jax.value_and_grad(info_nce)(params, a, b)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def init(key, d_in, d_h, d_z):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (d_in, d_h)) * (2 / d_in) ** 0.5, "b1": jnp.zeros(d_h),
            "w2": jax.random.normal(k2, (d_h, d_z)) * (1 / d_h) ** 0.5, "b2": jnp.zeros(d_z)}
