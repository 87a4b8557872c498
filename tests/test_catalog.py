"""The catalog keeps its contract, and the checks that say so can fail."""

from dataclasses import replace
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth import catalog
from sleuth.errors import DetectorFailed, SleuthError
from sleuth.finding import Evidence
from sleuth.page import HEADINGS, Page, read_page
from tests.contracts import VOCABULARY, faults_of_module, faults_of_page, missing_slugs

CAUSES = catalog.causes()
PROMISED = {slug: words for slugs in VOCABULARY.values() for slug, words in slugs.items()}


def faults(page: Page, promised: list[str]) -> list[str]:
    return list(faults_of_page(page, promised, set(CAUSES), set(catalog.sources())))


def test_every_promised_cause_is_there() -> None:
    assert list(missing_slugs({slug: cause.family for slug, cause in CAUSES.items()})) == []


def test_a_missing_or_misplaced_cause_would_be_noticed() -> None:
    have = {slug: cause.family for slug, cause in CAUSES.items()}
    del have["double-softmax"]
    have["dead-relu"] = "loss"
    assert len(list(missing_slugs(have))) == 2


@pytest.mark.parametrize("slug", CAUSES)
def test_a_page_is_complete(slug: str) -> None:
    cause = CAUSES[slug]
    promised = PROMISED.get(slug, list(cause.described))
    more = {catalog.TECHNIQUES[name] for name in cause.detectors}  # what is built beyond the promise
    assert faults(cause.page, [*promised, *sorted(more - set(promised))]) == []


@pytest.mark.parametrize("slug", CAUSES)
def test_a_module_holds_techniques_only(slug: str) -> None:
    assert list(faults_of_module(CAUSES[slug].module)) == []


@pytest.mark.parametrize("slug", CAUSES)
def test_what_is_built_was_described(slug: str) -> None:
    cause = CAUSES[slug]
    assert {catalog.TECHNIQUES[name] for name in cause.detectors} <= set(cause.described)


GOOD = CAUSES["double-softmax"].page
BROKEN_PAGES = {
    "summary without full stop": replace(GOOD, summary="No full stop"),
    "summary too long": replace(GOOD, summary="x" * 100 + "."),
    "heading missing": replace(GOOD, sections={k: v for k, v in GOOD.sections.items() if k != "How to fix"}),
    "headings out of order": replace(GOOD, sections={k: GOOD.sections[k] for k in reversed(HEADINGS)}),
    "empty section": replace(GOOD, sections={**GOOD.sections, "How to fix": "Fix it."}),
    "technique missing": replace(
        GOOD, sections={**GOOD.sections, "How to tell": "- **lint**: x\n- **refuted by**: y"}
    ),
    "no refutation": replace(
        GOOD, sections={**GOOD.sections, "How to tell": "- **lint**: x\n- **probe**: y\n- **watch**: z"}
    ),
    "unknown look-alike": replace(
        GOOD, sections={**GOOD.sections, "Often mistaken for": "- `no-such-cause`: x"}
    ),
    "unknown source": replace(
        GOOD, sections={**GOOD.sections, "Sources": "- nobody-1900: somewhere in there, page 3."}
    ),
    "open code block": replace(
        GOOD, sections={**GOOD.sections, "How to fix": "```python\nx = 1 and so on and on"}
    ),
}


@pytest.mark.parametrize("page", BROKEN_PAGES.values(), ids=BROKEN_PAGES)
def test_the_page_check_can_fail(page: Page) -> None:
    assert faults(page, PROMISED["double-softmax"]) != []


def test_the_module_check_can_fail() -> None:
    module = ModuleType("sleuth.causes.loss.invented")
    exec("def lint(p): ...\ndef _helper(): ...\ndef detect(p): ...", module.__dict__)
    assert list(faults_of_module(module)) == ["detect is no technique"]


def test_every_family_has_causes_and_the_priors_sum_to_one() -> None:
    families = catalog.families()
    assert {cause.family for cause in CAUSES.values()} == set(families)
    for shares in ([f.folklore for f in families.values()], [f.measured for f in families.values()]):
        assert sum(share for share in shares if share is not None) == pytest.approx(1.0)


def test_every_source_is_cited_somewhere() -> None:
    cited = {citation.key for cause in CAUSES.values() for citation in cause.page.citations}
    assert set(catalog.sources()) - cited == set()


def test_an_unknown_slug_suggests_the_nearest() -> None:
    with pytest.raises(SleuthError, match="double-softmax"):
        catalog.find("double-sofmax")


def test_asking_stamps_slug_and_technique() -> None:
    module = ModuleType("sleuth.causes.loss.invented")
    module.__dict__["lint"] = lambda facts: [Evidence(f"saw {facts}")]
    cause = catalog.Cause("invented", "loss")
    cause.__dict__["module"] = module
    (finding,) = catalog.ask("lint", 7, {"invented": cause})
    assert (finding.cause, finding.technique, finding.message) == ("invented", "lint", "saw 7")


def test_a_page_is_taken_apart() -> None:
    page = read_page(
        "Sum.\n\n## How to tell\n- **lint**: one\n  two\n- **refuted by**: three\n\n"
        "## Sources\n- key-1: chapter 2\n"
    )
    assert page.summary == "Sum."
    assert page.tells == {"lint": "one two", "refuted by": "three"}
    assert [(c.key, c.where) for c in page.citations] == [("key-1", "chapter 2")]


def test_a_detector_that_fails_does_not_take_the_others_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = catalog.causes()
    chosen = {slug: known[slug] for slug in ("undertrained", "lr-collapsed")}

    def broken(facts: object) -> None:
        raise TypeError("no such thing")

    monkeypatch.setattr(known["lr-collapsed"].module, "watch", broken)
    monkeypatch.setattr(known["undertrained"].module, "watch", lambda facts: iter(()))
    with pytest.warns(DetectorFailed, match="lr-collapsed"):
        _, examined = catalog.examine("watch", object(), LookupError, chosen)
    told = {entry.cause: entry for entry in examined}
    assert told["undertrained"].done
    assert not told["lr-collapsed"].done
    assert "no such thing" in told["lr-collapsed"].reason


PIECES = ["## How to tell\n", "## Sources\n", "- **lint**: a\n", "- b: c\n", "\n", "x"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_docstring_is_a_page(text: str) -> None:
    """Causes of a project's own say as much of themselves as they like."""
    page = read_page(text)
    labels = [*page.tells, *page.mistaken_for, *(citation.key for citation in page.citations)]
    assert all(label in text for label in labels)


@pytest.mark.parametrize("technique", catalog.TECHNIQUES)
def test_no_cause_that_has_a_technique_is_left_out_unread(technique: str) -> None:
    assert {slug for slug, cause in CAUSES.items() if technique in cause.detectors} <= set(
        catalog.mentioning(technique)
    )
    assert catalog.mentioning("no_such_technique") == {}
