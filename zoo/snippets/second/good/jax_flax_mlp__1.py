import jax
import jax.numpy as jnp
import flax.linen as nn
import optax
from flax.training import train_state


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.relu(nn.Dense(256)(x))
        x = nn.Dropout(0.2, deterministic=not train)(x)
        return nn.Dense(10)(x)


@jax.jit
def train_step(state, x, y, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def accuracy(state, x, y):
    logits = state.apply_fn({"params": state.params}, x, train=False)
    return jnp.mean(jnp.argmax(logits, -1) == y)


def main(batches, x_val, y_val, epochs=10):
    key = jax.random.PRNGKey(0)
    key, init = jax.random.split(key)
    model = MLP()
    params = model.init(init, jnp.zeros((1, 784)), train=False)["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    for epoch in range(epochs):
        for x, y in batches(epoch):
            key, sub = jax.random.split(key)
            state, loss = train_step(state, x, y, sub)
        print(epoch, loss, accuracy(state, x_val, y_val))
