"""`make bench`: the whole zoo and every measurement, as one table; `record` and `replay` of kept evidence."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import click

from bench import startup, zoo

Row = tuple[str, str, str]


def main(wanted: Sequence[str]) -> int:
    """All sections, or those named. A section that fails is told, and the others go on."""
    if wanted[:1] and wanted[0] in COMMANDS:
        return int(import_module(f"bench.{wanted[0]}").main(wanted[1:]))
    rows: list[Row] = []
    failed = False
    for name in wanted or SECTIONS:
        try:
            for row in SECTIONS[name]():
                rows.append(row)
                click.echo(f"  measured: {row[0]} · {row[1]}: {row[2]}", err=True)
        except Exception as error:
            failed = True
            rows.append((name, "not measured", f"{type(error).__name__}: {error}"[:200]))
            click.echo(f"  failed: {name}: {error}", err=True)
    click.echo(table(rows))
    return 1 if failed else 0


def start_rows() -> Iterator[Row]:
    yield "start", "`sleuth --help` against `python -c pass`", f"{startup.ratio():.1f}×"


def room(name: str) -> Callable[[], Iterator[Row]]:
    """The rows of a room, whose module is loaded when its turn comes."""

    def rows() -> Iterator[Row]:
        yield from import_module(f"bench.{name}").rows()

    return rows


def zoo_rows() -> Iterator[Row]:
    """Every repaired and healthy script must learn; every broken one must show it where its metric can."""
    pairs, healthy = list(zoo.cases()), list(zoo.healthy())
    fixed = [
        (case.name, zoo.within(zoo.run(case.fixed, case.metric.pattern), case.metric.fixed)) for case in pairs
    ]
    broken = [
        (case.name, zoo.within(zoo.run(case.broken, case.metric.pattern), case.metric.broken))
        for case in pairs
    ]
    fine = [
        (entry.path.stem, zoo.within(zoo.run(entry.path, entry.metric.pattern), entry.metric.fixed))
        for entry in healthy
    ]
    yield "zoo", "repaired scripts that learn", _share(fixed)
    yield "zoo", "broken scripts that do what their case says", _share(broken)
    yield "zoo", "healthy scripts that learn", _share(fine)


COMMANDS = (
    "record",
    "replay",
    "fit",
    "attacks",
    "repair",
    "renamed",
    "tables",
)  # with words of their own behind them

SECTIONS: Mapping[str, Callable[[], Iterator[Row]]] = {
    "zoo": zoo_rows,
    "start": start_rows,
    **{
        name: room(name)
        for name in (
            "lint",
            "evidence",
            "surface",
            "probe",
            "overhead",
            "archive",
            "sweep",
            "rl",
            "diagnosis",
            "ui",
        )
    },
}


def table(rows: list[Row]) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(2)]
    return "\n".join(f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}" for row in rows)


def _share(results: list[tuple[str, bool]]) -> str:
    for name, good in results:
        if not good:
            click.echo(f"  look: {name}", err=True)
    return _of(sum(good for _, good in results), len(results))


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    sys.exit(main(sys.argv[1:]))
