"""All splits of a program, worked out once."""

from sleuth.source.program import Program
from sleuth.source.topics.splits.by_hand import by_cuts, by_masks, by_sample
from sleuth.source.topics.splits.division import Splits
from sleuth.source.topics.splits.splitters import by_folds, by_library


def splits_of(program: Program) -> Splits:
    """The splits of a program, worked out once."""
    return program.about(_read_splits)


def _read_splits(program: Program) -> Splits:
    splits = Splits(program)
    for find in (by_library, by_folds, by_cuts, by_masks, by_sample):
        splits.found.extend(find(splits))
    return splits
