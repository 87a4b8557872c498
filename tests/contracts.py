"""What the catalog promises, as functions that return what is wrong."""

import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from sleuth.catalog import TECHNIQUES
from sleuth.page import HEADINGS, Page

VOCABULARY: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "contract" / "causes.toml").read_text("utf-8")
)
SUMMARY_WIDTH = 90  # fits beside a slug in the overview of a wide terminal


def missing_slugs(have: Mapping[str, str]) -> Iterator[str]:
    """`have` maps slug → family."""
    for family, slugs in VOCABULARY.items():
        for slug in slugs:
            if have.get(slug) != family:
                yield f"{slug} is not in family {family}"


def faults_of_page(page: Page, promised: list[str], slugs: set[str], sources: set[str]) -> Iterator[str]:
    if not page.summary.endswith(".") or "\n" in page.summary or len(page.summary) > SUMMARY_WIDTH:
        yield "the summary is one line with a full stop"
    if tuple(page.sections) != HEADINGS:
        yield f"headings are {list(page.sections)}"
    if not all(len(body.split()) > 5 for body in page.sections.values()):
        yield "a section is empty"
    # An experiment that takes the suspect back may be described although the vocabulary asks for none.
    if set(page.tells) - {"refuted by", "experiment"} != set(promised) - {"experiment"} or (
        "experiment" in promised and "experiment" not in page.tells
    ):
        yield f"tells by {sorted(page.tells)}, promised {promised}"
    if "refuted by" not in page.tells:
        yield "nothing would refute it"
    if not page.mistaken_for or not set(page.mistaken_for) <= slugs:
        yield f"mistaken for {sorted(page.mistaken_for)}"
    keys = {citation.key for citation in page.citations}
    if not keys or not keys <= sources:
        yield f"cites {sorted(keys - sources) or 'nothing'}"
    if any(len(citation.where.split()) < 3 for citation in page.citations):
        yield "a citation does not say where to look"
    fences = re.findall(r"^```", "\n".join(page.sections.values()), re.MULTILINE)
    if len(fences) % 2:
        yield "a code block is not closed"


ASKED = ("place", "settle")  # where its line is; what the record makes of its evidence


def faults_of_module(module: ModuleType) -> Iterator[str]:
    """Public functions of a cause's module are techniques, or what the judge asks it, and nothing else."""
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if (
            function.__module__ == module.__name__
            and not name.startswith("_")
            and name not in {*TECHNIQUES, *ASKED}
        ):
            yield f"{name} is no technique"
