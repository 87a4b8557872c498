"""Models in many styles: what is broken is named first, what is healthy is left in peace."""

import pytest
import torch

from sleuth.measure.workbench import Workbench
from sleuth.probing import examine
from tests.probe.fresh import FRESH

BROKEN = sorted(name for name, (causes, _) in FRESH.items() if causes)
HEALTHY = sorted(name for name, (causes, _) in FRESH.items() if not causes)


def serious(name: str) -> list[str]:
    torch.set_num_threads(1)
    bench = Workbench(**FRESH[name][1](), quick=True)
    return [finding.cause for finding in examine(bench).findings if finding.severity != "note"]


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named_and_nothing_else(name: str) -> None:
    causes = serious(name)
    assert causes
    assert set(causes) <= FRESH[name][0]


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_healthy_gets_no_alarm(name: str) -> None:
    assert serious(name) == []


def test_there_are_healthy_and_broken_ones() -> None:
    assert len(BROKEN) > 60
    assert len(HEALTHY) > 40
