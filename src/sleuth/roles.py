"""What people call the parts of their data: the last resort, where nothing else tells what a value is for."""

import re

from sleuth.source.word_search import Pattern

# `_` is no letter here: names are asked with spaces in its place.
TRAINING_NAME = Pattern(r"(?<![a-z])(train|training|tr|trn)(?![a-z])", re.IGNORECASE)
HELD_OUT_NAME = Pattern(
    r"(?<![a-z])(test|val|valid|validation|holdout|held.?out|dev|eval|evaluation)(?![a-z])", re.IGNORECASE
)


def names_training(name: str) -> bool:
    """Whether a name speaks of the training part, and of no other."""
    return _speaks_of(TRAINING_NAME, name) and not _speaks_of(HELD_OUT_NAME, name)


def names_held_out(name: str) -> bool:
    """Whether a name speaks of a part that is held out (`val_acc`, `dev rmse`), and not of the training."""
    return _speaks_of(HELD_OUT_NAME, name) and not _speaks_of(TRAINING_NAME, name)


def _speaks_of(part: Pattern, name: str) -> bool:
    return part.search(name.replace("_", " ")) is not None
