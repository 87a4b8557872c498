"""Credence: the numbers of a real map, the properties any sane weighing has, and slow twins."""

from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.evidence import beta
from sleuth.evidence.credence import SEMANTICS, Term, combined, logit, sigmoid, weigh
from sleuth.evidence.lineage import author, lineage
from sleuth.evidence.model import Link, Node, Statement
from sleuth.evidence.reader import read_file, read_map
from sleuth.evidence.weights import counted, total, weights
from sleuth.evidence.why import why
from tests.evidence.maps import SEED, SMALL, needs_seed

Speaker = tuple[float, tuple[str, ...]]


def a_map(supports: list[Speaker], attacks: list[Speaker] = []) -> str:  # noqa: B006
    """A claim with one argument a speaker: a strength, and the sources it rests on."""
    parts = ["[Claim]: It is so."]
    for number, (sign, (strength, sources)) in enumerate(
        chain((("+>", entry) for entry in supports), (("->", entry) for entry in attacks))
    ):
        premises = "\n".join(
            f"({place}) [P{number}.{place}]: x #observation "
            f'{{reason: "r", credence: {strength}, source: "{source}"}}'
            for place, source in enumerate(sources, 1)
        )
        parts.append(
            f"<A{number}>\n\n{premises}\n----\n({len(sources) + 1}) [C{number}]: y "
            f'{{reason: "r", inference: 0.9}}\n'
            f"  {sign} [Claim]"
        )
    return "\n\n".join(parts) + "\n"


def credence(supports: list[Speaker], attacks: list[Speaker] = []) -> float:  # noqa: B006
    belief = weigh(read_map(a_map(supports, attacks))).claim("Claim")
    assert belief is not None
    return belief.credence


@needs_seed
def test_the_numbers_of_the_real_map() -> None:
    found = read_file(SEED)
    belief = weigh(found).claim("Folklore Reliable")
    assert belief is not None
    assert belief.interval is not None
    assert belief.credence == pytest.approx(0.837, abs=0.001)
    assert belief.interval == pytest.approx((0.61, 0.98), abs=0.005)
    assert len(belief.sources) == 10
    others = {name: weigh(found, name).claim("Folklore Reliable") for name in SEMANTICS}
    got = {name: entry.credence for name, entry in others.items() if entry}
    assert got == pytest.approx({"beta": 0.837, "product": 0.996, "dfquad": 0.781, "qe": 0.994}, abs=0.001)


@needs_seed
def test_the_other_semantics_add_belief_for_an_attack() -> None:
    text = SEED.read_text("utf-8")
    without = read_map(text.replace("- <Source Age Concern>", "").replace("-> [Folklore Reliable]", "", 1))
    for name, sign in (("product", -1), ("beta", 1), ("qe", 1)):
        full, less = (weigh(found, name).claim("Folklore Reliable") for found in (read_map(text), without))  # type: ignore[arg-type]
        assert full is not None
        assert less is not None
        assert (less.credence - full.credence) * sign > 0, name


def test_the_small_map_by_hand() -> None:
    weighed = weigh(read_map(SMALL))
    scale, wires, descale = (weighed.claim(title) for title in ("Scale Matters", "Wires First", "Descale"))
    assert scale is not None
    assert wires is not None
    assert descale is not None
    corroborated = sigmoid(logit(0.8) + logit(0.7))
    assert scale.credence == pytest.approx(0.9 * corroborated)
    assert wires.credence == pytest.approx(0.4 * 0.5)
    r, t = scale.credence, wires.credence
    assert descale.credence == pytest.approx((1 + r) / (2 + r + t))
    assert descale.ignorance == pytest.approx(2 / (2 + r + t))


def test_joint_premises_multiply_and_can_be_declared() -> None:
    text = (
        "<A>\n\n(1) [P]: x {credence: 0.8}\n(2) [Q]: y {credence: 0.5}\n----\n"
        "(3) [C]: z {inference: 0.9, combine: %s}\n"
    )
    joint, loose = (weigh(read_map(text % word)).claim("C") for word in ("all", "any"))
    assert joint is not None
    assert loose is not None
    assert joint.credence == pytest.approx(0.9 * 0.8 * 0.5)
    assert loose.credence == pytest.approx(0.9 * 0.8)


credences = st.floats(0.01, 0.99)
names = st.sampled_from("abcdef")
speakers = st.tuples(credences, st.lists(names, min_size=1, max_size=3, unique=True).map(tuple))
crowds = st.lists(speakers, max_size=5)


@settings(max_examples=60, deadline=None)
@given(crowds, crowds, speakers)
def test_support_never_lowers_and_attack_never_raises(
    supports: list[Speaker], attacks: list[Speaker], one_more: Speaker
) -> None:
    before = credence(supports, attacks)
    assert credence([*supports, one_more], attacks) >= before - 1e-9
    assert credence(supports, [*attacks, one_more]) <= before + 1e-9


@settings(max_examples=60, deadline=None)
@given(crowds, credences)
def test_a_new_source_adds_more_than_a_repeated_one(supports: list[Speaker], strength: float) -> None:
    supports = [*supports, (0.9, ("a",))]
    base = credence(supports)
    repeated, fresh = credence([*supports, (strength, ("a",))]), credence([*supports, (strength, ("new",))])
    assert fresh >= repeated - 1e-9
    assert fresh > base


def test_repeating_a_source_adds_next_to_nothing() -> None:
    supports: list[Speaker] = [(0.9, ("a",))] * 6
    assert credence([*supports, (0.9, ("a",))]) - credence(supports) < 0.002
    assert credence([*supports, (0.9, ("b",))]) - credence(supports) > 0.02


@given(st.lists(st.tuples(names, credences), min_size=1, max_size=6), st.tuples(names, credences))
def test_corroboration_never_lowers(premises: list[tuple[str, float]], one_more: tuple[str, float]) -> None:
    assert combined([*premises, one_more], "any") >= combined(premises, "any") - 1e-12
    assert combined([*premises, one_more], "all") <= combined(premises, "all") + 1e-12


def every_reading(terms: list[Term]) -> float:
    """The slow twin: all ways of setting arguments aside."""
    places = range(len(terms))
    choices = chain.from_iterable(combinations(places, size) for size in range(len(terms) + 1))
    return max(total(counted(terms, frozenset(aside))) for aside in choices)


@settings(max_examples=300, deadline=None)
@given(st.lists(speakers, min_size=1, max_size=6))
def test_the_best_reading_is_the_best_of_all(crowd: list[Speaker]) -> None:
    terms = [Term(Node("statement", str(at)), entry[0], entry[1], False) for at, entry in enumerate(crowd)]
    ranked = sorted(terms, key=lambda term: -term.strength)
    assert total(weights(terms)) == pytest.approx(every_reading(ranked))


@settings(max_examples=80, deadline=None)
@given(st.floats(0.3, 60), st.floats(0.3, 60), st.sampled_from([0.05, 0.5, 0.95]))
def test_quantiles_against_scipy(alpha: float, other: float, share: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    value = beta.quantile(share, alpha, other)
    assert value == pytest.approx(float(stats.beta.ppf(share, alpha, other)), abs=1e-6)
    assert beta.cumulative(value, alpha, other) == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Schulman 2016 Slides", "Schulman"),
        ("Andy Jones - RL Debugging", "Jones"),
        ("Jones 2021, Debugging", "Jones"),
        ("Goodfellow et al. Deep Learning Ch11", "Goodfellow"),
        ("FSDL Spring 2021 Lecture 7", "FSDL"),
        ("CS231n Neural Networks 3", "CS231n"),
        ("scikit-learn developers 2024, User guide", "scikit-learn developers"),
    ],
)
def test_the_author_part_of_a_link(label: str, name: str) -> None:
    assert author(label) == name


def test_a_lineage_is_declared_or_linked_or_the_file() -> None:
    web, file = Link("Ada 1843, Notes", "https://x.org", 1, 1), Link("evidence", "evidence/notes.md#L1", 1, 1)
    assert lineage(Statement("A", data={"source": "Byron"}, links=(web, file))) == "Byron"
    assert lineage(Statement("A", links=(web, file))) == "Ada"
    assert lineage(Statement("A", links=(file,))) == "notes"
    assert lineage(Statement("A")) == "[A]"


def test_why_names_terms_sources_and_what_each_adds() -> None:
    reasons = why(weigh(read_map(SMALL)), "scale matters")
    assert reasons.belief.node.title == "Scale Matters"
    assert set(reasons.without) == {"Byron", "Bob"}
    assert all(change < 0 for change in reasons.without.values())
    (argument,) = reasons.arguments
    assert (argument["combine"], argument["inference"]) == ("any", 0.9)


def test_contradictions_and_undercuts_lower() -> None:
    base = "<A>\n\n(1) [P]: x {credence: 0.9}\n----\n(2) [C]: z\n\n[D]: no {credence: 0.8}\n"
    plain, contradicted, undercut = (
        weigh(read_map(base + more)).claim("C") for more in ("", "  >< [C]\n", "  _> <A>\n")
    )
    assert plain is not None
    assert contradicted is not None
    assert undercut is not None
    assert contradicted.credence < plain.credence
    assert undercut.credence < plain.credence


def test_deep_and_circular_maps_are_weighed() -> None:
    chain_of_claims = "\n\n".join(f"[C{n}]: x\n  +> [C{n + 1}]" for n in range(3000))
    assert len(weigh(read_map(chain_of_claims)).beliefs) == 3001
    assert weigh(read_map("[A]: x\n  +> [B]\n\n[B]: y\n  +> [A]\n")).claim("A") is not None
