import flax.linen as nn
import jax
import jax.numpy as jnp


def start(key, width, hidden):
    inner, outer = jax.random.split(key)
    return {
        "w1": jax.random.normal(inner, (width, hidden)) / width**0.5,
        "b1": jnp.zeros(hidden),
        "w2": jnp.zeros((hidden, 1)),
        "down": jax.random.normal(outer, (width, 4)),
        "up": jnp.zeros((4, width)),
    }


def moments(params):
    return {"w1": jnp.zeros((8, 16)), "w2": jnp.zeros((16, 1)), "down": jnp.zeros((8, 4))}


def predict(p, x):
    x = x + (x @ p["down"]) @ p["up"]
    h = jnp.tanh(x @ p["w1"] + p["b1"])
    return h @ p["w2"]


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.relu(nn.Dense(64)(x))
        return x + nn.Dense(32, kernel_init=nn.initializers.zeros)(h)
