"""Every probe fires on a subject that has its cause, and is silent on one that does not."""

import pytest
import torch

from sleuth import catalog
from sleuth.finding import Finding
from sleuth.measure.workbench import NotApplicable, Workbench
from sleuth.probing import probe
from tests.probe.cases import CASES, Made, classify

torch.set_num_threads(1)

BUILT = [cause.slug for cause in catalog.causes().values() if "probe" in cause.detectors]


def found(slug: str, made: Made) -> list[Finding]:
    bench = Workbench(**made, memorise=False)
    findings, _ = catalog.examine("probe", bench, NotApplicable, {slug: catalog.find(slug)})
    return findings


@pytest.mark.parametrize("slug", sorted(CASES))
def test_the_probe_fires_where_the_cause_is(slug: str) -> None:
    findings = found(slug, CASES[slug][0]())
    assert [finding.cause for finding in findings], "nothing was found"
    assert any(finding.severity != "note" for finding in findings)
    assert all(finding.fix and finding.message for finding in findings)


@pytest.mark.parametrize("slug", sorted(CASES))
def test_the_probe_is_silent_where_it_is_not(slug: str) -> None:
    assert [finding for finding in found(slug, CASES[slug][1]()) if finding.severity != "note"] == []


def test_every_probe_has_a_case() -> None:
    assert sorted(CASES) == sorted(BUILT)


def test_a_healthy_subject_gets_neither_errors_nor_warnings() -> None:
    report = probe(**classify(), memorise=False)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert report.verdict.status == "nothing-found"


def test_a_symptom_beside_its_root_is_a_note() -> None:
    report = probe(**CASES["inputs-unnormalized"][0](), memorise=False)
    serious = [finding.cause for finding in report.findings if finding.severity != "note"]
    assert serious == ["inputs-unnormalized"]
    assert report.verdict.summary.startswith("inputs-unnormalized")
