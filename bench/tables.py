"""`python -m bench tables`: how many scripts of each set and lot are judged rightly, as the docs show it.

What was seen when a lot was met stands in `zoo/lots.toml`, what is true now in the accepted verdicts of kept
evidence. `make docs` writes both into docs/measurements.md and README.md, and a check holds them there.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from bench import kept, replay
from bench.kept import Script
from bench.zoo import SETS, ZOO

LOTS = ZOO / "lots.toml"
DRAWN = "drawn-"  # lots whose causes nobody chose: the fairest there are
END = "<!-- end -->"  # of a part that is written into a page
NONE = "–"


@dataclass(frozen=True)
class Tally:
    """How scripts were judged. None: not counted."""

    broken: int
    quiet: int
    first: int | None = None
    line: int | None = None
    accused: int | None = None

    def cells(self) -> list[str]:
        hits = [_share(self.first, self.broken), _share(self.line, self.broken)]
        return [*hits, _share(self.accused, self.quiet)]


@dataclass(frozen=True)
class Lot:
    """Scripts that were written together, and how Sleuth did when it met them, and after mending."""

    name: str
    by: str
    when: str
    scripts: tuple[Script, ...]
    seen: Tally | None
    later: Tally | None


def main(arguments: Sequence[str]) -> int:
    print(*written().values(), sep="\n\n")
    return 0


def written() -> dict[str, str]:
    """What the docs show, by the name of its mark."""
    return {"numbers": numbers(), "sets": sets(), "lots": lots()}


def spliced(page: str, parts: Mapping[str, str]) -> str:
    """A page with what stands between its marks replaced."""
    for name, text in parts.items():
        head, mark, rest = page.partition(f"<!-- {name}: written by `make docs` -->")
        if mark:
            page = f"{head}{mark}\n{text}\n{END}{rest.partition(END)[2]}"
    return page


def sets() -> str:
    """What is true now, of all of which evidence is kept."""
    rows = []
    for name, scripts in _by_set().items():
        now = judged(scripts)
        rows.append([name, *_sizes(scripts), f"{now.broken + now.quiet} of {len(scripts)}", *now.cells()])
    heads = "set, pairs, healthy, evidence kept of, right cause first, on its line (±2), wrongly accused"
    return _table(heads.split(", "), rows)


def lots() -> str:
    """What was seen when a lot was met, after mending, and now."""
    heads = "lot, by, when met, pairs, healthy, right cause first, on its line, accused"
    heads += ", first later, still accused, now"
    rows = []
    for lot in all_lots():
        met = lot.seen.cells() if lot.seen else [NONE] * 3
        later = lot.later.cells()[0] if lot.later else NONE
        # Only those it had accused were run again: a number, and no share of all.
        still = str(lot.later.accused) if lot.later and lot.later.accused is not None else NONE
        now = judged(lot.scripts).cells()[0]
        rows.append([lot.name, lot.by, lot.when, *_sizes(lot.scripts), *met, later, still, now])
    return _table(heads.split(", "), rows)


def numbers() -> str:
    """The sentence that everybody reads: the lots whose causes were drawn, at first sight."""
    met = drawn()
    return (
        f"On {met.broken} scripts by strangers, each broken by a cause that was drawn by lot, Sleuth named"
        f" the right cause first in **{_percent(met.first, met.broken)}** and stood on its line (±2) in"
        f" **{_percent(met.line, met.broken)}** when it met them; of {met.quiet} repaired and healthy ones it"
        f" wrongly accused **{_percent(met.accused, met.quiet)}**."
    )


def drawn() -> Tally:
    met = [lot.seen for lot in all_lots() if lot.name.startswith(DRAWN) and lot.seen is not None]
    return Tally(
        sum(one.broken for one in met),
        sum(one.quiet for one in met),
        sum(one.first or 0 for one in met),
        sum(one.line or 0 for one in met),
        sum(one.accused or 0 for one in met),
    )


def all_lots() -> Iterator[Lot]:
    told = tomllib.loads(LOTS.read_text("utf-8"))
    scripts = [script for group in _by_set().values() for script in group]
    for name, lot in told.items():
        mine = tuple(script for script in scripts if script.lot == name)
        seen, later = _tally(lot.get("seen"), mine), _tally(lot.get("later"), mine)
        yield Lot(name, lot["by"], lot["when"], mine, seen, later)


def judged(scripts: Iterable[Script]) -> Tally:
    """By the verdicts that were accepted last; a script without one does not count."""
    known = replay.accepted()
    graded = [(script, known[script.name]["grade"]) for script in scripts if script.name in known]
    broken = [grade for script, grade in graded if script.case is not None]
    quiet = [grade for script, grade in graded if script.case is None]
    first = sum(grade.startswith("first") for grade in broken)
    line = sum(grade == "first, on its line" for grade in broken)
    return Tally(len(broken), len(quiet), first, line, sum(grade == "accused" for grade in quiet))


def _tally(told: Mapping[str, int] | None, scripts: Sequence[Script]) -> Tally | None:
    if told is None:
        return None
    broken = sum(script.case is not None for script in scripts)
    return Tally(**{"broken": broken, "quiet": len(scripts) - broken, **told})


@cache
def _by_set() -> Mapping[str, tuple[Script, ...]]:
    return {name: tuple(kept.scripts(name)) for name in SETS}


def _sizes(scripts: Sequence[Script]) -> list[str]:
    broken = sum(script.case is not None for script in scripts)
    return [str(broken), str(len(scripts) - 2 * broken)]


def _share(part: int | None, whole: int) -> str:
    return NONE if part is None or not whole else f"{part} of {whole} ({_percent(part, whole)})"


def _percent(part: int | None, whole: int) -> str:
    return f"{(part or 0) / whole:.0%}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
