"""Weights that start all equal: made so one by one, by an initialiser for a whole model, or in JAX."""
