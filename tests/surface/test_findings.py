"""Every defect on constructed surfaces with known answers; nothing on losses that people train with."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import sleuth
from bench.surface import kinds
from bench.surface_cases import HEALTHY, SICK, Loss
from sleuth.loss_surface import KINDS, Flaw, Surface
from sleuth.loss_surface.kinds import MEANINGS


def look(loss: Loss, n: int = 80) -> Surface:
    return sleuth.surface(loss.function, loss.x, loss.y, want=loss.want, start=loss.start, n=n)


def one(loss: Loss) -> Flaw:
    (flaw,) = look(loss).findings
    return flaw


def named(name: str) -> Loss:
    return next(loss for loss in (*SICK, *HEALTHY) if loss.name == name)


@pytest.mark.parametrize("loss", SICK, ids=lambda loss: loss.name)
def test_the_defect_is_found_and_no_other(loss: Loss) -> None:
    assert kinds(loss) == loss.kinds


@pytest.mark.parametrize("n", [24, 80, 141])
@pytest.mark.parametrize("loss", HEALTHY, ids=lambda loss: loss.name)
def test_a_healthy_loss_is_left_in_peace(loss: Loss, n: int) -> None:
    assert look(loss, n).findings == ()


def test_every_kind_is_covered_and_fifteen_losses_are_healthy() -> None:
    assert {kind for loss in SICK for kind in loss.kinds} == set(KINDS)
    assert len(HEALTHY) >= 15


def test_a_message_says_what_was_seen_and_what_to_do() -> None:
    for loss in SICK:
        for flaw in look(loss).findings:
            assert any(letter.isdigit() for letter in flaw.message), flaw
            assert flaw.fix.endswith(".")
            assert flaw.kind in KINDS
            assert flaw.term == "loss"


def test_a_dead_zone_has_its_share_place_and_level() -> None:
    flaw = one(named("capped hinge"))
    assert flaw.share == pytest.approx(0.5, abs=0.01)
    assert flaw.box[0] == pytest.approx((-3.0, 0.0), abs=0.08)
    assert flaw.numbers["loss"] == 1.0
    assert (flaw.severity, flaw.numbers["start_inside"]) == ("warning", "False")


@pytest.mark.parametrize(("start", "severity"), [(-2, "error"), (0.5, "note"), ((-3, 0.5), "error")])
def test_a_dead_zone_weighs_more_when_the_start_lies_in_it(start: float, severity: str) -> None:
    seen = sleuth.surface(named("capped hinge").function, ("m", -3, 3), want=2, start=start)
    assert [flaw.severity for flaw in seen.findings] == [severity]


def test_a_satisfied_hinge_is_a_defect_only_where_something_has_to_leave_it() -> None:
    def hinge(d: torch.Tensor) -> torch.Tensor:
        return torch.relu(d - 1)

    def found(**asked: float) -> list[str]:
        return [flaw.kind for flaw in sleuth.surface(hinge, ("d", -3, 3), **asked).findings]  # type: ignore[arg-type]

    assert found() == []
    assert found(want=0) == []
    assert found(want=0, start=-2) == []
    assert found(start=0) == ["dead-zone"]
    assert found(want=3, start=0) == ["dead-zone"]
    assert found(want=3) == ["dead-zone"]


def test_the_saddle_is_placed_and_has_both_curvatures() -> None:
    seen = sleuth.surface(lambda a, b: (a - 0.21) * (b + 0.37), ("a", -1, 1), ("b", -1, 1))
    flaw = next(flaw for flaw in seen.findings if flaw.kind == "saddle")
    assert flaw.at == pytest.approx((0.21, -0.37), abs=1e-9)
    # The Hessian is [[0, 1], [1, 0]]; both axes are 2 wide.
    assert (flaw.numbers["curvature_down"], flaw.numbers["curvature_up"]) == pytest.approx((-4, 4))


def test_the_product_is_told_its_log_form_with_both_gradients() -> None:
    seen = look(named("product"))
    form = seen.analyses[0].log_form
    assert form is not None
    assert form.constant == pytest.approx(1.0)
    for row in form.rows:
        a, b = row.point
        assert row.product == pytest.approx((-b, -a))
        assert row.logarithm == pytest.approx((-1 / a, -1 / b))  # of -(log a + log b)
    assert "log" in seen.findings[0].message


def test_a_sum_is_no_product() -> None:
    for function in (lambda a, b: a**2 + b**2, lambda a, b: a**2 - b**2, lambda a, b: a**3 + 0 * b):
        assert sleuth.surface(function, ("a", -1, 1), ("b", -1, 1), n=20).analyses[0].log_form is None


def test_the_log_form_of_a_sunken_product_follows_the_wanted_corner() -> None:
    seen = sleuth.surface(lambda a, b: a * b, ("a", 0.1, 1), ("b", 0.1, 1), want=(0.1, 0.1), n=20)
    form = seen.analyses[0].log_form
    assert form is not None
    assert form.formula.startswith("(log A")


def test_basins_have_their_true_sizes() -> None:
    # Minima at -1 and 1, the watershed at 0: exactly half of the map belongs to each.
    seen = sleuth.surface(lambda x: (x**2 - 1) ** 2 + 0.0 * x, ("x", -2, 2), want=1, n=80)
    ends = {round(end.spot.at[0]): end.spot.basin for end in seen.analyses[0].basins.ends}
    assert ends == {-1: pytest.approx(0.5, abs=0.02), 1: pytest.approx(0.5, abs=0.02)}


def test_descent_on_the_grid_ends_where_real_descent_ends() -> None:
    """The slow twin: gradient descent with small steps from many starts."""

    def wells(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a**2 - 1) ** 2 + 0.4 * a + (b - 0.5 * a) ** 2

    seen = sleuth.surface(wells, ("a", -2, 2), ("b", -2, 2), want=(-1.05, -0.5), n=60)
    line = torch.linspace(-1.9, 1.9, 16, dtype=torch.float64)
    a, b = (one.reshape(-1).clone() for one in torch.meshgrid(line, line, indexing="ij"))
    for _ in range(3000):
        a.requires_grad_()
        b.requires_grad_()
        slopes = torch.autograd.grad(wells(a, b).sum(), (a, b))
        a, b = (a - 0.01 * slopes[0]).detach(), (b - 0.01 * slopes[1]).detach()
    assert seen.analyses[0].basins.arrives == pytest.approx(float((a < 0).double().mean()), abs=0.05)


def test_a_narrow_slanted_valley_is_followed_to_its_end() -> None:
    seen = sleuth.surface(
        lambda a, b: (1 - a) ** 2 + 50 * (b - a * a) ** 2, ("a", -2, 2), ("b", -1, 3), want=(1, 1)
    )
    assert seen.analyses[0].basins.arrives > 0.99


def test_the_first_offending_input_is_named() -> None:
    flaw = one(named("negative root"))
    assert flaw.severity == "error"
    assert flaw.at == (-1.0, -1.0)
    # a < 0 is NaN; a = 0 lies between two points of an even grid.
    assert flaw.share == pytest.approx(0.5)


def test_a_gradient_that_is_not_finite_is_told_from_a_loss_that_is_not() -> None:
    assert "though the loss is" in one(named("root of 0")).message
    assert "The loss is not finite" in one(named("log of 0")).message


def test_imbalance_is_measured_in_the_inputs_own_units() -> None:
    flaw = one(named("units"))
    assert flaw.numbers["ratio"] == pytest.approx(1e4, rel=0.01)
    close = sleuth.surface(lambda a, b: a**2 + 0.002 * b**2, ("a", -1, 1), ("b", -1, 1))
    assert close.findings == ()


def test_a_cliff_is_placed_between_the_two_slopes() -> None:
    flaw = one(named("kink"))
    assert flaw.at is not None
    assert flaw.at[0] == pytest.approx(0.5, abs=0.02)
    assert (flaw.numbers["gradient_low"], flaw.numbers["gradient_high"]) == pytest.approx((0.01, 1000))


@pytest.mark.parametrize("n", [20, 40, 81, 150])
def test_a_steep_log_is_no_cliff_however_coarse_the_grid(n: int) -> None:
    assert sleuth.surface(lambda p: -torch.log(p), ("p", 0.001, 1), want=1, n=n).findings == ()


def test_terms_are_judged_beside_their_sum() -> None:
    seen = sleuth.surface(
        lambda x: {"fit": (x - 1) ** 2, "cap": torch.relu(x + 5).clamp(max=1)}, x=("x", -2, 2), want=1
    )
    assert {(flaw.term, flaw.kind) for flaw in seen.findings} == {("cap", "dead-zone")}


def test_a_fine_grid_is_thinned_for_the_analysis_but_not_for_poles() -> None:
    def pole(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.where(
            (a - 0.1).abs() + (b - 0.1).abs() < 4e-3, torch.log(-torch.ones_like(a)), a**2 + b**2
        )

    seen = sleuth.surface(pole, ("a", -1, 1), ("b", -1, 1), n=501)
    assert max(seen.analyses[0].sheet.shape) <= 200
    flaw = next(flaw for flaw in seen.findings if flaw.kind == "non-finite")
    assert flaw.at == pytest.approx((0.1, 0.1), abs=5e-3)


def test_the_poles_of_torch_are_found() -> None:
    found = {pole.name: pole for pole in sleuth.loss_surface.poles()}
    for name in ("log of 0", "sqrt at 0", "normalise at 0, by hand", "division by 0", "arccos at 1"):
        assert "non-finite" in found[name].kinds, name
    for name in ("BCE at 0, target 1", "BCE at 1, target 0", "normalise at 0, by torch"):
        assert "cliff" in found[name].kinds, name
    assert found["BCE from logits (healthy)"].kinds == ()
    assert np.isinf(found["sqrt at 0"].slope)
    assert found["BCE at 0, target 1"].loss == 100.0


def test_every_kind_is_explained_and_listed_in_the_guide() -> None:
    guide = (Path(__file__).resolve().parents[2] / "docs" / "surface.md").read_text("utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \|", guide.partition("## What is found")[2], re.MULTILINE)
    assert set(listed) == set(MEANINGS) == set(KINDS)
