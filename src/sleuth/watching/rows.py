"""Rows of batches as hashes: which examples were served before, and which stand in two sets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

COLUMNS = 96  # weighted by place, spread over the row; all others enter by their sum
MOST_ROWS = 1 << 21  # hashes kept of the training data (16 MB)
MERGE_AT = 1 << 16


def hashes(tensor: Any) -> Any:
    """One 64-bit number a row, the same for the same row whatever batch it stands in.

    Integer arithmetic only: a sum of floats would depend on its order.
    """
    import torch

    rows = tensor.detach()
    rows = rows.reshape(rows.shape[0], -1)
    if rows.is_floating_point():
        bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[rows.element_size()]
        rows = rows.contiguous().view(bits)
    elif rows.is_complex():
        rows = torch.view_as_real(rows).reshape(rows.shape[0], -1).float().view(torch.int32)
    rows = rows.to("cpu")
    some = rows[:, :: max(1, rows.shape[1] // COLUMNS)].long()
    weights = _weights(some.shape[1])
    mixed = (some * weights).sum(1)
    if some.shape[1] < rows.shape[1]:
        mixed = mixed * 1_000_003 + rows.sum(1, dtype=torch.int64)
    return mixed


def _weights(count: int) -> Any:
    """Odd numbers without a pattern, made by arithmetic: the script's random stream is not touched."""
    import torch

    order = torch.arange(1, count + 1)
    return (order * 0x9E3779B97F4A7C1) ^ (order * order * 0x2545F4914F6CDD1) | 1


def fingerprint(rows: Any) -> str:
    """A short name for a batch, that depends on the order of its rows."""
    import torch

    order = torch.arange(1, len(rows) + 1) * 2 + 1
    return f"{int((rows * order).sum()) & 0xFFFFFFFFFFFF:012x}"


@dataclass
class Rows:
    """The training rows seen so far, and those of the current epoch."""

    seen: Any = None  # sorted unique hashes
    recent: list[Any] = field(default_factory=list)
    recent_count: int = 0
    epoch: set[int] = field(default_factory=set)
    watch_epoch: Callable[[], bool] = field(default=lambda: True)

    def add(self, rows: Any) -> None:
        if self.seen is not None and len(self.seen) > MOST_ROWS:
            return
        self.recent.append(rows)
        self.recent_count += len(rows)
        if self.recent_count > MERGE_AT:
            self.merge()

    def merge(self) -> None:
        import torch

        if self.recent:
            before = [] if self.seen is None else [self.seen]
            self.seen = torch.unique(torch.cat([*before, *self.recent]))
            self.recent, self.recent_count = [], 0

    def share_seen(self, rows: Any) -> float | None:
        """The share of these rows that were served for training; None before any training."""
        import torch

        self.merge()
        if self.seen is None or not len(rows):
            return None
        return float(torch.isin(rows, self.seen).float().mean())

    def distinct(self) -> int | None:
        """How many different rows were served for training; None before any, or when they are too many."""
        self.merge()
        return None if self.seen is None or len(self.seen) > MOST_ROWS else len(self.seen)

    def repeated(self, rows: Any) -> int:
        """How many of these rows stood in the epoch already, or twice among themselves."""
        numbers = rows.tolist()
        again = sum(number in self.epoch for number in numbers)
        twice = len(numbers) - len(set(numbers))
        if len(self.epoch) < MOST_ROWS:
            self.epoch.update(numbers)
        return max(again, twice)
