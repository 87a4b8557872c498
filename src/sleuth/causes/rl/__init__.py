"""Reinforcement learning, where errors are not local."""
