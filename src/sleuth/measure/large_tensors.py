"""Numbers about large tensors without a copy of them: what is asked is asked of one part after the other."""

import math
from collections.abc import Callable, Iterator

from torch import Tensor
from torch.linalg import vector_norm

ENTRIES = 1 << 16  # of a part: small beside any model that fills a machine, large beside a call's own cost


def pieces(values: Tensor) -> Iterator[Tensor]:
    """The tensor in parts along its first axis, each small."""
    if values.dim() == 0 or values.numel() <= ENTRIES:
        return iter((values,))
    return iter(values.tensor_split(min(len(values), -(-values.numel() // ENTRIES))))


def share(values: Tensor, true_of: Callable[[Tensor], Tensor]) -> float:
    """Share of the entries for which something holds."""
    if not values.numel():
        return 0.0
    return sum(int(true_of(part).sum()) for part in pieces(values)) / values.numel()


def largest_of(values: Tensor) -> Tensor:
    """The largest absolute value; a number that is none stays one."""
    numbers = values if values.is_floating_point() else values.float()
    return vector_norm(numbers, ord=math.inf) if values.numel() else values.new_zeros(())


def size_of(values: Tensor) -> float:
    """The root of the mean square."""
    return float(vector_norm(values.float())) / math.sqrt(values.numel()) if values.numel() else 0.0


def all_alike(rows: Tensor) -> bool:
    """Whether every row repeats the first one; mostly the second tells."""
    first = rows[:1]
    return bool((rows[1:2] == first).all()) and all(bool((part == first).all()) for part in pieces(rows))
