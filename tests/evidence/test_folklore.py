"""Our own map: complete, sourced, in step with the catalog, and shown where people read."""

import json

import pytest

from sleuth import catalog
from sleuth.evidence.credence import weigh
from sleuth.evidence.folklore import PATH, cited, claims_for, rules, weighed
from sleuth.evidence.lineage import lineage
from sleuth.evidence.reader import read_file
from sleuth.evidence.structure import structure
from sleuth.finding import Finding
from tests.test_cli import sleuth
from tests.test_light import heavy_modules_after

# The rules of the debugging loop that the map has to speak about.
LOOP = """normalise-inputs overfit-first assume-a-bug seed-variance batch-size scale-rewards
reference-implementation pursue-anomalies log-everything random-search probe-environments entropy-and-kl
priors-by-family think-more murphyjitsu loss-curve-red-herring t-above-two rate-times-gradient""".split()


def test_the_map_is_clean_and_stands_beside_the_code() -> None:
    found = read_file(PATH)
    assert found.problems == ()
    assert structure(found) == ()


@pytest.mark.parametrize("rule", LOOP)
def test_every_rule_of_the_loop_has_a_claim_with_sources(rule: str) -> None:
    claim = rules()[rule]
    assert claim.supporting
    assert 0 < claim.belief.credence < 1


def test_covered_names_exist_and_every_cause_has_a_claim() -> None:
    known = {*catalog.causes(), *catalog.families(), "diagnose"}
    covered = {name for claim in rules().values() for name in claim.covers}
    assert covered - known == set()
    assert covered >= set(catalog.families())
    assert [
        cause.slug for cause in catalog.causes().values() if not claims_for(cause.slug, cause.family)
    ] == []


def test_a_rule_has_no_cause_s_name() -> None:
    assert set(rules()) & set(catalog.causes()) == set()


def test_every_premise_names_its_source_and_links_agree_with_the_catalog() -> None:
    links = {work.link: work for work in catalog.sources().values()}
    found = weighed().map
    for argument in found.arguments.values():
        for title in argument.premises:
            statement = found.statements[title]
            sourced = not lineage(statement).startswith("[")
            assert sourced or "assumption" in statement.tags, title
            for link in statement.links:
                work = links.get(link.target)
                assert work is None or (
                    str(work.year) in link.label and work.author.split(",")[0] in link.label
                )


def test_what_was_measured_to_be_wrong_is_not_believed() -> None:
    assert rules()["t-above-two"].belief.credence < 0.3
    assert rules()["rate-times-gradient"].belief.credence < 0.3
    believed = [rules()[name].belief.credence for name in LOOP[:-2]]
    assert min(believed) > 0.45


def test_counter_evidence_counts() -> None:
    found = read_file(PATH)
    top = weigh(found).claim("Folklore Helps")
    assert top is not None
    assert sum(term.against for term in top.terms) == 3


def test_explain_ends_a_page_with_its_claims() -> None:
    text = sleuth("explain", "inputs-unnormalized").stdout
    page, _, trust = text.partition("## How far to trust this")
    assert "## Sources" in page
    for part in ("**Normalise Inputs** 0.", "Schulman", "`sleuth explain normalise-inputs`"):
        assert part in trust
    data = json.loads(sleuth("explain", "inputs-unnormalized", "--json", "-").stdout)
    assert data["claims"][0]["title"] == "Normalise Inputs"


def test_explain_tells_a_rule() -> None:
    text = sleuth("explain", "random-search").stdout
    for part in ("# random-search", "## Who says so", "Bergstra", "## What speaks against it", "Turner"):
        assert part in text
    assert json.loads(sleuth("explain", "random-search", "--json", "-").stdout)["schema"] == "sleuth.rule/1"
    wrong = sleuth("explain", "random-serch")
    assert (wrong.returncode, "Did you mean 'random-search'?" in wrong.stderr) == (2, True)


def test_findings_cite_their_claims() -> None:
    finding = cited(Finding("x", cause="double-softmax", family="loss"))
    assert finding.sources
    assert finding.sources[0].startswith("Read The Contract (0.")


def test_explain_and_evidence_stay_light() -> None:
    for words in (["explain", "random-search"], ["evidence", "check"], ["evidence", "show", "-q"]):
        assert heavy_modules_after(f"from sleuth.cli import run; run({words!r})") == []
