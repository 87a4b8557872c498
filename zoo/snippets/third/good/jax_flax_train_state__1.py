import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Conv(32, (3, 3))(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.relu(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(10)(x)


class State(train_state.TrainState):
    batch_stats: dict


def create(rng, lr):
    model = CNN()
    variables = model.init(rng, jnp.ones((1, 28, 28, 1)), train=False)
    return State.create(apply_fn=model.apply, params=variables["params"],
                        batch_stats=variables["batch_stats"], tx=optax.adamw(lr))


@jax.jit
def train_step(state, batch, key):
    def loss_fn(params):
        logits, upd = state.apply_fn({"params": params, "batch_stats": state.batch_stats}, batch["image"],
                                     train=True, mutable=["batch_stats"], rngs={"dropout": key})
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
        return loss, upd

    (loss, upd), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads)
    return state.replace(batch_stats=upd["batch_stats"]), loss
