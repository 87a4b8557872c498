"""What causes say of one another: documented, real names, no circles."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pytest

from sleuth import catalog
from sleuth.diagnosis.circumstances import NAMED
from sleuth.diagnosis.experiments import MEASURES
from sleuth.experiments import experiments
from sleuth.judge import relations
from sleuth.judge.relations import ANSWERED, rivals_of, roots_of, says
from sleuth.judge.words import WORDS
from sleuth.record.entries import Record
from sleuth.rl.climbed import SIGNS
from sleuth.rl.mistakes import known, policy_mistakes
from sleuth.rl.sums import FLAWS
from sleuth.rl.tables import continuous, extra, ladder, space_probes
from sleuth.symptoms import symptoms
from tests.contract.sources import of_the_engine, trees_of

QUESTIONS = ("initial loss", "validation")
SLUGS = set(catalog.causes())
DOCUMENTED = frozenset(re.findall(r"^([A-Z_]+)  ", relations.__doc__ or "", re.MULTILINE))
READ_BESIDE_THEM = {"SIGNS", "FLAWED_SUMS"}  # by the functions of their own file
READ_AS_TEXT = {"NEEDS"}


def constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Public constants of a module, with what they are."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((name, node.value) for target in node.targets for name in _public(target))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from ((name, node.value) for name in _public(node.target))


def _public(target: ast.expr) -> list[str]:
    names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
    return [name for name in names if re.fullmatch(r"[A-Z][A-Z_0-9]*", name)]


def unread(trees: Sequence[ast.Module]) -> set[str]:
    """Constants that nothing in the cause's own files mentions, and that no relation is called."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    read |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    read |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return {name for tree in trees for name, _ in constants(tree)} - read - DOCUMENTED


def relations_by_another_name(tree: ast.Module) -> set[str]:
    """Constants that hold nothing but names of causes, as a relation does, and are called as none is."""
    return {name for name, value in constants(tree) if name not in DOCUMENTED and _names_causes(value)}


def _names_causes(value: ast.expr) -> bool:
    words = value.value.split() if isinstance(value, ast.Constant) and isinstance(value.value, str) else []
    return bool(words) and set(words) <= SLUGS


@pytest.mark.parametrize("slug", sorted(SLUGS))
def test_every_constant_of_a_cause_is_its_own_or_a_documented_relation(slug: str) -> None:
    trees = trees_of(slug)
    assert unread(trees) == set()
    assert [name for tree in trees for name in relations_by_another_name(tree)] == []


def test_a_misspelt_relation_would_be_seen() -> None:
    tree = ast.parse('CONSEQENCE_OF = "dead-relu zero-init"\nRIVALS = "dead-relu"\nFEW = 3\nx = FEW')
    assert unread([tree]) == {"CONSEQENCE_OF"}
    assert relations_by_another_name(tree) == {"CONSEQENCE_OF"}


def test_every_documented_relation_is_said_by_a_cause_and_read_by_the_engine() -> None:
    said = {name for slug in SLUGS for tree in trees_of(slug) for name, _ in constants(tree)}
    assert DOCUMENTED - said == set()
    nodes = [node for tree in of_the_engine().values() for node in ast.walk(tree)]
    asked = {node.value for node in nodes if isinstance(node, ast.Constant)}
    assert DOCUMENTED - asked == READ_BESIDE_THEM | READ_AS_TEXT


def test_every_relation_that_the_engine_asks_for_is_documented() -> None:
    calls = [
        node
        for tree in of_the_engine().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "says"
    ]
    asked = {str(part.value) for call in calls for part in call.args[1:2] if isinstance(part, ast.Constant)}
    assert len(asked) > 10
    assert {name for name in asked if name.isupper()} <= DOCUMENTED  # the others are functions


def test_what_causes_say_of_probed_agents_is_there_and_said_once() -> None:
    """Every known mistake, world and way to be wrong belongs to one cause."""
    worlds = {*ladder(), *extra(), *continuous(), *space_probes()}
    mistakes = {*known(), *policy_mistakes(), "policy-myopic"}
    assert sorted(" ".join(_said("SUSPECTED_BY", "")).split()) == sorted(worlds)
    prints = " ".join(name for told in _said("FINGERPRINTS", ()) for name in told)
    assert sorted(prints.split()) == sorted(mistakes)
    assert sorted(name for told in _said("FLAWED_SUMS", ()) for name in told) == sorted(FLAWS)
    assert sorted(sign for told in _said("SIGNS", ()) for sign in told) == sorted(SIGNS)


def _said(relation: str, default: Collection[str]) -> list[Any]:
    return [says(slug, relation, default) for slug in sorted(SLUGS)]


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
