import jax
import jax.numpy as jnp
from flax import linen as nn
from flax.training import train_state
import optax


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.relu(nn.Conv(32, (3, 3))(x))
        x = nn.avg_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.Dropout(0.5, deterministic=not train)(nn.relu(nn.Dense(128)(x)))
        return nn.Dense(10)(x)


@jax.jit
def train_step(state, x, y, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def predict(state, x):
    return state.apply_fn({"params": state.params}, x, train=False).argmax(-1)


def td_loss(params, target_params, apply, s, a, r, s2, terminated, gamma=0.99):
    q = jnp.take_along_axis(apply(params, s), a[:, None], axis=1)[:, 0]
    y = jax.lax.stop_gradient(r + gamma * (1 - terminated) * apply(target_params, s2).max(axis=1))
    return jnp.mean((q - y) ** 2)
