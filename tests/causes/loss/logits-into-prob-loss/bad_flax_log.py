"""The last layer of a flax model has no activation, and the likelihood takes the log of it."""

import jax
import jax.numpy as jnp
from flax import linen


class Scorer(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.tanh(linen.Dense(32)(x))
        return linen.Dense(5)(x)


scorer = Scorer()


@jax.value_and_grad
def likelihood(params, x, truth):
    shares = scorer.apply(params, x)
    return -jnp.mean(jnp.sum(truth * jnp.log(shares), axis=-1))  # logits-into-prob-loss
