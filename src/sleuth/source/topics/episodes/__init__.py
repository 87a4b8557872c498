"""Reinforcement learning in source: steps of an environment, what becomes of their results, and targets.

A step hands out an observation, a reward and flags. They travel: through tensors, through rows of a replay
buffer (followed by their place in the row), through arrays filled item by item. `Episodes.kinds` says which
of them a value is in the end. A kind that rests on a name alone ends in `?`.
"""

from sleuth.source.topics.episodes.experience import ENDS, Episodes, read_episodes
from sleuth.source.topics.episodes.names import names_end, target_name, tests, words
from sleuth.source.topics.episodes.steps import FIELDS, EnvStep, begins_again, inside_class, own_step
from sleuth.source.topics.episodes.targets import (
    Bootstrap,
    follows_time,
    is_discount,
    is_network_call,
    network_calls,
)

__all__ = [
    "ENDS",
    "FIELDS",
    "Bootstrap",
    "EnvStep",
    "Episodes",
    "begins_again",
    "follows_time",
    "inside_class",
    "is_discount",
    "is_network_call",
    "names_end",
    "network_calls",
    "own_step",
    "read_episodes",
    "target_name",
    "tests",
    "words",
]
