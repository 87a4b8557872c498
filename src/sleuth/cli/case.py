"""`sleuth case`: the debugging loop by hand, for things Sleuth cannot run."""

from typing import Any

import click

from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError


@click.group("case")
def command() -> None:
    """Keep the ledger of a debugging case: hypotheses, tests, observations, what to do next."""


@command.command("open")
@click.argument("title")
@click.option(
    "--catalog/--no-catalog", default=False, help="Add every cause of the catalog as a hypothesis as well."
)
@output_options
def open_(title: str, catalog: bool, json_path: str | None, quiet: bool) -> int:
    """Begin a case."""
    from sleuth.diagnosis.ledger import open_case

    ledger = open_case(title, catalog)
    emit(ledger.path.stem if quiet else f"Case {ledger.path.stem} is open.", _told(ledger), json_path)
    return 0


@command.command("add")
@click.argument("what", type=click.Choice(["hypothesis", "test"]))
@click.argument("name")
@click.option("--case", "case_name", metavar="NAME", help="Which case (default: the last one).")
@click.option("--prior", default=1.0, metavar="WEIGHT", help="Weight of a hypothesis against the others.")
@click.option("--refuted-by", default="", metavar="TEXT", help="What would show that a hypothesis is wrong.")
@click.option("--question", default="", metavar="TEXT", help="What a test asks; its answer is yes or no.")
@click.option("--cost", default=1.0, metavar="N", help="What a test costs, in one unit for the whole case.")
@click.option(
    "--yes-if",
    "yes_if",
    multiple=True,
    metavar="HYPOTHESIS=WORD",
    help="How often the answer is yes if the hypothesis holds: never, rarely, even, usually, always.",
)
@output_options
def add(
    what: str,
    name: str,
    case_name: str | None,
    prior: float,
    refuted_by: str,
    question: str,
    cost: float,
    yes_if: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
) -> int:
    """Add a hypothesis, or a test that tells hypotheses apart."""
    from sleuth.diagnosis import ledger as ledgers

    ledger = ledgers.find_case(case_name)
    if what == "hypothesis":
        line = ledgers.hypothesis(name, prior, refuted_by)
    else:
        words = dict(_pair(text) for text in yes_if)
        line = ledgers.written_test(name, question or name, cost, words, ledger.prior())
    ledger = ledgers.append(ledger, line)
    emit(f"Added {what} {name!r} to {ledger.path.stem}.", _told(ledger), json_path)
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, word = text.partition("=")
    if not equals:
        raise SleuthError(f"{text!r} is no HYPOTHESIS=WORD.")
    return name, word


@command.command("observe")
@click.argument("test")
@click.argument("answer", type=click.Choice(["yes", "no", "withdrawn"]))
@click.option("--note", default="", metavar="TEXT", help="What was seen.")
@click.option("--case", "case_name", metavar="NAME", help="Which case (default: the last one).")
@output_options
def observe(
    test: str, answer: str, note: str, case_name: str | None, json_path: str | None, quiet: bool
) -> int:
    """Write down what a test showed. Nothing is overwritten; the last word on a test counts."""
    from sleuth.diagnosis import ledger as ledgers

    ledger = ledgers.observe(ledgers.find_case(case_name), test, answer, note)
    return _status(ledger, json_path, quiet)


@command.command("next")
@click.option("--case", "case_name", metavar="NAME", help="Which case (default: the last one).")
@output_options
def next_(case_name: str | None, json_path: str | None, quiet: bool) -> int:
    """Say which test tells most for its cost."""
    from sleuth.diagnosis.ledger import find_case
    from sleuth.show.cases import next_line

    status = _weigh(find_case(case_name))
    emit(next_line(status), _told(status.ledger), json_path)
    return 0


@command.command("status")
@click.option("--case", "case_name", metavar="NAME", help="Which case (default: the last one).")
@output_options
def status_(case_name: str | None, json_path: str | None, quiet: bool) -> int:
    """Show the credences of all hypotheses, replayed from every observation."""
    from sleuth.diagnosis.ledger import find_case

    return _status(find_case(case_name), json_path, quiet)


@command.command("list")
@output_options
def list_(json_path: str | None, quiet: bool) -> int:
    """List the cases of this archive."""
    from sleuth.diagnosis.ledger import cases

    found = cases()
    text = "\n".join(map(_listed, found)) or "No cases yet."
    emit(text, {"schema": "sleuth.cases/1", "cases": [_told(ledger) for ledger in found]}, json_path)
    return 0


@command.command("preflight")
@click.argument("script")
@click.option("--top", default=8, show_default=True, metavar="N", help="Causes to show.")
@output_options
def preflight(script: str, top: int, json_path: str | None, quiet: bool) -> int:
    """Before the run: what would not surprise you to see fail, and the cheapest check for each."""
    from sleuth.cli.scripts import checked
    from sleuth.diagnosis.preflight import expected_failures
    from sleuth.show.cases import preflight_page

    found = expected_failures(checked(script), script)[:top]
    payload = {
        "schema": "sleuth.preflight/1",
        "script": script,
        "expected": [vars(entry) for entry in found],
    }
    emit(preflight_page(script, found), payload, json_path)
    return 0


def _status(ledger: Any, json_path: str | None, quiet: bool) -> int:
    from sleuth.show.cases import board_page

    emit(board_page(_weigh(ledger), quiet), _told(ledger), json_path)
    return 0


def _weigh(ledger: Any) -> Any:
    from sleuth.diagnosis.ledger import status

    return status(ledger)


def _listed(ledger: Any) -> str:
    bad = len(ledger.damage)
    return f"{ledger.path.stem}  {ledger.title}" + f"  ({bad} line{'s' * (bad != 1)} damaged)" * bool(bad)


def _told(ledger: Any) -> dict[str, Any]:
    status = _weigh(ledger)
    return {
        "schema": "sleuth.case/1",
        "case": ledger.path.stem,
        "title": ledger.title,
        "board": {name: round(share, 4) for name, share in sorted(status.board.items(), key=lambda e: -e[1])},
        "next": None if status.next_test is None else status.next_test.name,
        "observations": list(ledger.lines),
        "damage": list(ledger.damage),
    }
