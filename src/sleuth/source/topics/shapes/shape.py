"""Sizes of axes and what they make together: a shape."""

from collections.abc import Hashable, Iterable

from sleuth.quick_dataclass import dataclass


@dataclass(frozen=True)
class Symbol:
    """An axis length that is not known but can be told from others."""

    key: Hashable


Size = int | Symbol | None

BATCH = Symbol("batch")


@dataclass(frozen=True)
class Shape:
    """The sizes of a tensor's axes. `sure` is False where the number of axes is a habit, not a fact."""

    sizes: tuple[Size, ...]
    sure: bool = True

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def __str__(self) -> str:
        words = [
            str(size) if isinstance(size, int) else "N" if n == 0 else "?" for n, size in self._numbered()
        ]
        return f"({', '.join(words)}{',' if len(words) == 1 else ''})"

    def _numbered(self) -> Iterable[tuple[int, Size]]:
        return enumerate(self.sizes)


SCALAR = Shape(())


def outer(left: Shape, right: Shape) -> bool:
    """Whether broadcasting enlarges both: each has one element, or no axis, where the other has several."""
    if left.rank == right.rank:
        return False  # (N, 1) against (1, N) is written by hand, and meant
    return _grows(left, right) and _grows(right, left)


def _grows(one: Shape, other: Shape) -> bool:
    missing = other.sizes[: max(0, other.rank - one.rank)]
    if any(size != 1 for size in missing):
        return True
    pairs = zip(one.sizes[::-1], other.sizes[::-1], strict=False)
    return any(mine == 1 and theirs != 1 for mine, theirs in pairs)


def agreed(found: Iterable[Shape | None]) -> Shape | None:
    options = list(found)
    first = options[0] if options else None
    if first is None or any(option is None or option.rank != first.rank for option in options):
        return None
    known = [option for option in options if option is not None]
    sizes = tuple(
        sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*(o.sizes for o in known), strict=True)
    )
    return Shape(sizes, all(option.sure for option in known))
