"""The archives that are shown together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sleuth.ui.lines import Line
from sleuth.ui.shelf import Shelf


@dataclass
class Homes:
    shelves: tuple[Shelf, ...]
    _ordered: tuple[int, list[Line]] | None = None  # the version it is of

    @property
    def paths(self) -> list[Path]:
        return [shelf.home for shelf in self.shelves]

    @property
    def version(self) -> int:
        return sum(shelf.version for shelf in self.shelves)

    def lines(self) -> list[Line]:
        """Of all archives, newest first."""
        found = [one for shelf in self.shelves for one in shelf.refresh().values()]
        held, version = self._ordered, self.version
        if held is None or held[0] != version or len(held[1]) != len(found):
            found.sort(key=lambda one: (one.started, one.id), reverse=True)
            held = self._ordered = (version, found)
        return list(held[1])

    def find(self, run_id: str) -> tuple[Shelf, Line] | None:
        for shelf in self.shelves:
            if (found := shelf.find(run_id)) is not None:
                return shelf, found
        return None

    def shelf_of(self, found: Line) -> Shelf:
        return self.shelves[found.home]

    def column(self, name: str) -> dict[str, tuple[float, float, float]]:
        """Run → last, lowest and highest value of a series, over all archives."""
        return {run: told for shelf in self.shelves for run, told in shelf.column(name).items()}

    def numbered(self) -> Iterator[tuple[int, Path]]:
        yield from enumerate(self.paths)


def homes(folders: Iterable[Path]) -> Homes:
    """Each archive once, in the order given."""
    distinct = dict.fromkeys(folder.absolute() for folder in folders)
    return Homes(tuple(Shelf(folder, place) for place, folder in enumerate(distinct)))
