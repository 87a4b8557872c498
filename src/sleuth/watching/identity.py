"""Remembers things about the script's objects without keeping them alive or asking for their hash."""

import weakref
from collections.abc import Iterator
from typing import Any


class Memory:
    """A mapping by identity: classes of users may compare and hash as they like, or not at all."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def __setitem__(self, item: Any, value: Any) -> None:
        number = id(item)
        self._kept[number] = (weakref.ref(item, lambda _: self._kept.pop(number, None)), value)

    def get(self, item: Any, default: Any = None) -> Any:
        found = self._kept.get(id(item))
        return found[1] if found is not None and found[0]() is item else default

    def __contains__(self, item: Any) -> bool:
        found = self._kept.get(id(item))
        return found is not None and found[0]() is item

    def __getitem__(self, item: Any) -> Any:
        if item not in self:
            raise KeyError(item)
        return self._kept[id(item)][1]

    def __iter__(self) -> Iterator[Any]:
        """The objects that are still alive."""
        for reference, _ in [*self._kept.values()]:
            item = reference()
            if item is not None:
                yield item
