"""Shares by a softmax, in the model or behind it, their logs taken by what can do it."""

import jax
import jax.numpy as jnp
from flax import linen


class Scorer(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.tanh(linen.Dense(32)(x))
        return linen.log_softmax(linen.Dense(5)(x))


class Plain(linen.Module):
    @linen.compact
    def __call__(self, x):
        return linen.Dense(5)(x)


def likelihood(params, x, truth):
    return -jnp.mean(jnp.sum(truth * Scorer().apply(params, x), axis=-1))


def with_statistics(params, x, truth):
    scores, changed = Plain().apply(params, x, mutable=["batch_stats"])
    return -jnp.mean(jnp.sum(truth * jax.nn.log_softmax(scores), axis=-1)), changed
