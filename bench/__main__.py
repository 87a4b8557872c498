"""`make bench`: the whole zoo and every measurement, as one table."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from bench import evidence, lint, probe, startup, surface, zoo

Row = tuple[str, str, str]
NOT_BUILT = "not built yet"


def main() -> int:
    rows: list[Row] = []
    for row in measurements():
        rows.append(row)
        click.echo(f"  measured: {row[0]} · {row[1]}", err=True)
    click.echo(table(rows))
    return 0


def measurements() -> Iterator[Row]:
    yield from zoo_rows()
    yield "start", "`sleuth --help` against `python -c pass`", f"{startup.ratio():.1f}×"
    yield from lint.rows()
    yield from evidence.rows()
    yield from surface.rows()
    yield from probe.rows()
    yield "overhead of watch", "ratio to the bare loop", NOT_BUILT
    yield "diagnose on the zoo", "right cause first", NOT_BUILT


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
    sys.exit(main())
