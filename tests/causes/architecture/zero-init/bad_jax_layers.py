import jax
import jax.numpy as jnp


def start(sizes):
    layers = []
    for n, m in zip(sizes[:-1], sizes[1:]):
        layers.append({"w": jnp.zeros((n, m)), "b": jnp.zeros(m)})  # zero-init
    return layers


def predict(layers, x):
    for layer in layers[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def loss(layers, x, y):
    return jnp.mean((predict(layers, x) - y) ** 2)


layers = start([3, 64, 64, 1])
for x, y in batches:
    grads = jax.grad(loss)(layers, x, y)
    layers = jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, layers, grads)
