"""`make bench`: the whole zoo and every measurement, as one table."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from bench import detection, lint_speed, startup, zoo
from sleuth.facts.source import read_source
from sleuth.lint import lint_source, lintable

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
    yield from detection_rows()
    yield from speed_rows()
    yield "overhead of watch", "ratio to the bare loop", NOT_BUILT
    yield "probe", "ratio to one training step", NOT_BUILT
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


def detection_rows() -> Iterator[Row]:
    rules = lintable()
    result = detection.score(lambda path: lint_source(read_source(path)), rules.__contains__)
    yield "lint on the zoo", "causes with a rule / broken scripts", f"{result.reachable} / {result.broken}"
    yield "lint on the zoo", "found, of those with a rule", _of(result.found, result.reachable)
    yield "lint on the zoo", "named first, of those found", _of(result.first, result.found)
    yield "lint on the zoo", f"line hit (±{zoo.LINE_SLACK}), of those found", _of(result.line, result.found)
    yield (
        "lint on the zoo",
        "false alarms on repaired and healthy scripts",
        _of(len(result.false_alarms), result.quiet),
    )
    for name in (*result.missed, *result.false_alarms):
        click.echo(f"  look: {name}", err=True)


def speed_rows() -> Iterator[Row]:
    yield "start", "`sleuth --help` against `python -c pass`", f"{startup.ratio():.1f}×"
    speed = lint_speed.measure()
    yield "lint speed", "share of parse-and-walk's lines a second", f"{speed.against_floor:.2f}"
    yield (
        "lint speed",
        "one small file, cold, against parse-and-walk",
        f"{speed.cold_lint / speed.cold_floor:.1f}×",
    )


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
