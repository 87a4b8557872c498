import jax, optax
import flax.linen as nn
import jax.numpy as jnp

class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(1)(x)

def loss_fn(params, x, y):
    p = MLP().apply(params, x).squeeze(-1)
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))
