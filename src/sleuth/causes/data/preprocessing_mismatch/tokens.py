"""Whole numbers that stand for words: whether evaluation is served the same words as training."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sleuth.record.entries import Values

FEWEST = 300  # words on either side
FEWEST_DISTINCT = 10  # fewer are a flag, a class, the first token of a decoder
OFTEN = 0.15  # of the words in evaluation: one word that is not there by accident
SELDOM = 8.0  # times less often it stood in training
IN_COMMON = 0.2  # of what could be shared by the commonest words; two halves of one text share 0.8 and more
ENOUGH = 0.25  # of all words are among the commonest: else chance decides which those are


def shares(seen: "Sequence[Values]") -> dict[str, float]:
    """How often each of the commonest words stands there, without what pads the rows."""
    kept = [values for values in seen if values.common]
    found: dict[str, float] = {}
    for values in kept:
        padding = values.common.get(values.last, 0.0) if values.common and values.last else 0.0
        for word, share in (values.common or {}).items():
            if word != values.last and padding < 1:
                found[word] = found.get(word, 0.0) + share / (1 - padding) / len(kept)
    return found


def counted(seen: "Sequence[Values]") -> int:
    return sum(_size(values) for values in seen if values.common)


def _size(values: "Values") -> int:
    size = 1
    for length in values.shape:
        size *= length
    return size


def risen(before: Mapping[str, float], now: Mapping[str, float]) -> str | None:
    """The word that stands for much in evaluation and hardly stood in training: the unknown one."""
    found = [
        word for word, share in now.items() if share >= OFTEN and before.get(word, 0.0) * SELDOM <= share
    ]
    return max(found, key=lambda word: now[word], default=None)


def in_common(before: Mapping[str, float], now: Mapping[str, float]) -> float | None:
    """How much of what the commonest words could share they do share; None where too few words are common."""
    most = min(sum(before.values()), sum(now.values()))
    if most < ENOUGH:
        return None
    return sum(min(share, before.get(word, 0.0)) for word, share in now.items()) / most
