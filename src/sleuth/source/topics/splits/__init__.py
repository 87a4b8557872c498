"""How a program divides its data: the splits, their parts, and which rows a value holds.

A split is found by what it does (a splitter of a library, two complementary cuts of one array, a mask and its
opposite, folds), not by the names of its parts.
"""

from sleuth.source.topics.splits.chosen import chosen_columns
from sleuth.source.topics.splits.division import Split, Splits
from sleuth.source.topics.splits.reading import splits_of
from sleuth.source.topics.splits.repair import split_first
from sleuth.source.topics.splits.rows import (
    PERMUTATIONS,
    RANDOM_SPLIT,
    TRAIN_TEST_SPLIT,
    bare,
    first_key,
    identity,
    is_full,
)
from sleuth.source.topics.splits.statistics import statistic_of, statistics_in

__all__ = [
    "PERMUTATIONS",
    "RANDOM_SPLIT",
    "TRAIN_TEST_SPLIT",
    "Split",
    "Splits",
    "bare",
    "chosen_columns",
    "first_key",
    "identity",
    "is_full",
    "split_first",
    "splits_of",
    "statistic_of",
    "statistics_in",
]
