"""What causes say of one another: real names, no circles, and nothing of it anywhere else."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import sleuth
from sleuth import catalog
from sleuth.diagnosis.circumstances import NAMED
from sleuth.diagnosis.experiments import MEASURES
from sleuth.experiments import experiments
from sleuth.judge.relations import ANSWERED, rivals_of, roots_of, says
from sleuth.judge.words import WORDS
from sleuth.record.entries import Record
from sleuth.symptoms import symptoms

SOURCE = Path(sleuth.__file__).parent
QUESTIONS = ("initial loss", "validation")
SLUGS = set(catalog.causes())

# Files outside `causes/` that may name a cause, each with its reason. The list only ever gets shorter.
MAY_NAME: Mapping[str, str] = {
    "stuck_metric/verdict.py": "the three answers of `stuck`",
    "sweeping/findings.py": "the two causes that only a sweep can show",
} | {
    f"rl/{name}.py": "its own judges, until they move into their causes' files"
    for name in (
        "health health_of_policy judges judges_of_ends mistakes naming normalizer seeds sums tables units"
    ).split()
}


def named_in(text: str) -> Iterator[str]:
    """Slugs in the strings of a source; docstrings and comments may speak of whatever helps the reader."""
    tree = ast.parse(text)
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            words = re.split(r"[\s,()]+", node.value)
            yield from (word for word in words if "-" in word and word in SLUGS)


def files_that_name_causes() -> dict[str, list[str]]:
    found = {}
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("causes/") and (slugs := list(named_in(path.read_text("utf-8")))):
            found[name] = slugs
    return found


def test_no_file_outside_causes_names_a_cause() -> None:
    named = files_that_name_causes()
    assert {name: slugs for name, slugs in named.items() if name not in MAY_NAME} == {}
    assert set(MAY_NAME) <= set(named), "a file names no cause any more: strike it from the list"


def test_a_slug_in_code_would_be_seen_and_one_in_prose_is_not() -> None:
    assert list(named_in('"""As dead-relu."""\nX = "undo(dead-relu) zero-init"\n')) == [
        "dead-relu",
        "zero-init",
    ]


@pytest.mark.parametrize("slug", sorted(SLUGS))
def test_what_a_cause_says_of_others_is_real(slug: str) -> None:
    assert roots_of(slug) | rivals_of(slug) <= SLUGS - {slug}
    assert not roots_of(slug) & rivals_of(slug)
    assert says(slug, "GIVES_WAY_TO", "anything") in ("anything", "proven")
    kinds = {word for kinds in says(slug, "UNLESS", {}) for word in kinds.split()}
    assert kinds <= {*catalog.TECHNIQUES, "numbers", "any"}
    words = {word for words in says(slug, "UNLESS", {}).values() for word in words.split()}
    assert words <= {*NAMED, *ANSWERED}
    assert says(slug, "DECIDED_BY", "lr×10") in experiments()
    assert says(slug, "JUDGED_BY", "held-out") in MEASURES
    assert says(slug, "ANSWERS", "validation") in QUESTIONS
    assert set(says(slug, "LOOKS_LIKE", {})) <= {symptom.name for symptom in symptoms(Record())}
    assert set(says(slug, "LOOKS_LIKE", {}).values()) <= set(WORDS)
    assert all(re.compile(p) and factor > 1 for p, factor in says(slug, "INVITED_BY", {}).items())
    assert all(re.compile(p) and text.endswith(".") for p, text in says(slug, "RAISES", {}).items())


def test_every_circumstance_silences_somebody_or_speaks_of_the_run() -> None:
    told = {word for slug in SLUGS for words in says(slug, "UNLESS", {}).values() for word in words.split()}
    of_the_run = set("learns came-far poor stuck unstable had-its-time told-by-its-loss whole".split())
    by_evidence = {"several-losses"}  # named where one finding is made
    assert set(NAMED) - told == of_the_run | by_evidence


def circle(graph: Mapping[str, frozenset[str]]) -> list[str]:
    """A way from some cause back to itself; [] where there is none."""
    done: set[str] = set()

    def walk(slug: str, way: list[str]) -> list[str]:
        if slug in way:
            return [*way[way.index(slug) :], slug]
        if slug in done:
            return []
        found = next((found for root in sorted(graph[slug]) if (found := walk(root, [*way, slug]))), [])
        done.add(slug)
        return found

    return next((found for slug in sorted(graph) if (found := walk(slug, []))), [])


def test_no_cause_is_a_consequence_of_its_own_consequences() -> None:
    assert circle({slug: roots_of(slug) for slug in SLUGS}) == []


def test_a_circle_would_be_seen() -> None:
    graph = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a")}
    assert circle(graph) == ["a", "b", "c", "a"]
