"""The zoo: whole training scripts, unmodified; a probe at their first step finds what it can see."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from bench import zoo
from sleuth import catalog
from sleuth.finding import Finding
from sleuth.judge.weigh import roots_before_symptoms
from sleuth.lab.capture import Captured, capture
from sleuth.measure.workbench import NotApplicable, Workbench

LATE = {"training/frozen-params": 3}  # the defect stands in the third phase of the script
FAIR = {"training/stale-optimizer-params": {"params-not-in-optimizer"}}  # another true name for it


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def serious(script: Path, phases: int = 1) -> list[Finding]:
    """Errors and warnings at the last of the first so many phases."""
    found: list[Finding] = []

    def look(seen: Captured) -> None:
        bench = Workbench(
            seen.model,
            seen.batch,
            step=seen.step,
            optimizer=seen.optimizers,
            loader=seen.loader,
            val_loader=seen.val_loader,
            memorise=False,
            fits=seen.fits,
        )
        findings, _ = catalog.examine("probe", bench, NotApplicable)
        found[:] = [finding for finding in roots_before_symptoms(findings) if finding.severity != "note"]

    capture(script, examine=look, phases=phases)
    return found


def visible(case: zoo.Case) -> bool:
    return "probe" in catalog.find(case.slug).detectors


SEEN = [case for case in zoo.cases() if visible(case)]
QUICK = [case for case in SEEN if case.name not in LATE]


@pytest.mark.parametrize("case", SEEN, ids=lambda case: case.name)
def test_the_broken_half_is_found(case: zoo.Case) -> None:
    causes = [finding.cause for finding in serious(case.broken, LATE.get(case.name, 1))]
    assert case.slug in causes


@pytest.mark.slow
@pytest.mark.parametrize("case", list(zoo.cases()), ids=lambda case: case.name)
def test_the_fixed_half_is_silent(case: zoo.Case) -> None:
    assert serious(case.fixed, LATE.get(case.name, 1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("entry", list(zoo.healthy()), ids=lambda entry: entry.path.stem)
def test_healthy_scripts_are_silent(entry: zoo.Healthy) -> None:
    assert serious(entry.path) == []


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in zoo.cases() if not visible(c)], ids=lambda case: case.name)
def test_what_a_probe_cannot_see_is_not_taken_for_something_else(case: zoo.Case) -> None:
    causes = {finding.cause for finding in serious(case.broken)}
    assert causes <= FAIR.get(case.name, set()) | {case.slug, *case.also}


def test_capture_puts_the_doors_back() -> None:
    before = (nn.Module.__call__, nn.Module.__init__, torch.Tensor.backward, torch.optim.Optimizer.__init__)
    serious(QUICK[0].broken)
    after = (nn.Module.__call__, nn.Module.__init__, torch.Tensor.backward, torch.optim.Optimizer.__init__)
    assert before == after


def test_a_replayed_step_has_the_loss_and_gradients_of_the_script(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
        "net = nn.Linear(3, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "data, label = torch.randn(20, 3), torch.arange(20) % 2\n"
        "rows = torch.randperm(20)[:8]\n"
        "scores = net(data[rows]) @ torch.eye(2)\n"
        "loss = nn.functional.cross_entropy(scores, label[rows]) + 0.1 * net.weight.pow(2).sum()\n"
        "loss.backward()\nopt.step()\n"
    )
    told: list[tuple[float, float, float, tuple[int, ...]]] = []

    def look(seen: Captured) -> None:
        with torch.enable_grad():
            loss = seen.step(seen.model, seen.batch)
        parameter = next(seen.model.parameters())
        (weight,) = torch.autograd.grad(loss, [parameter])
        assert parameter.grad is not None
        gap = float((weight - parameter.grad).abs().max())
        shapes = tuple(len(t) for t in next(iter(seen.loader)))
        told.append((float(loss), gap, float(len(seen.batch[0])), shapes))

    ending = capture(script, examine=look)
    assert (ending.steps, ending.error) == (1, None)
    ((loss, gap, rows, whole),) = told
    assert loss > 0
    assert gap < 1e-6
    assert (rows, whole) == (8, (20, 20))


def test_a_script_that_fails_says_so(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("raise ValueError('broken at the start')\n")
    ending = capture(script, examine=lambda _: None)
    assert (ending.steps, ending.error) == (0, "ValueError: broken at the start")
