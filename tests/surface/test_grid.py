"""Values, slopes and curvature on the grid, against slow exact twins."""

import numpy as np
import pytest
import torch

import sleuth
from bench import surface as bench
from bench.surface_cases import SMOOTH, Loss
from sleuth.loss_surface import grid
from sleuth.loss_surface.axes import read_axes
from sleuth.loss_surface.calls import adapt
from sleuth.loss_surface.grid import curvature_at, evaluate


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_slopes_equal_finite_differences(loss: Loss) -> None:
    assert bench.slope_error(loss) < 1e-7


def test_twenty_functions_are_compared() -> None:
    assert len(SMOOTH) >= 20


def test_a_wrong_slope_would_be_seen() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x**2

        @staticmethod
        def backward(ctx: object, upstream: torch.Tensor) -> torch.Tensor:
            return upstream  # not 2x

    assert bench.slope_error(Loss("wrong", Wrong.apply, ("x", 0, 1))) > 0.1


@pytest.mark.parametrize("points", [1, 7, 50, 10_000])
def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch, points: int) -> None:
    batched = adapt(bench.contrast, read_axes(bench.X, bench.Y), {})
    whole = evaluate(batched, 23)[0]
    monkeypatch.setattr(grid, "CHUNK_POINTS", (1, points))
    monkeypatch.setattr(grid, "CHUNK_BYTES", 1e12)
    parts = evaluate(batched, 23)[0]
    np.testing.assert_allclose(parts.loss, whole.loss, rtol=1e-12)
    for one, two in zip(parts.slopes, whole.slopes, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12)


def test_a_loss_that_needs_more_memory_gets_smaller_chunks() -> None:
    def heavy(x: torch.Tensor) -> torch.Tensor:
        return (x[:, None] * torch.arange(1000.0)).exp().sum(dim=1).log()

    light = adapt(lambda x: x**2, read_axes(("x", 0, 1), None), {})
    assert adapt(heavy, read_axes(("x", 0, 1), None), {}).bytes_a_point > 500 * light.bytes_a_point


def test_a_million_points_fit_in_200_megabytes() -> None:
    assert bench.memory("kept = sleuth.surface(contrast, X, Y, n=1000); kept.findings") < 200


def test_the_memory_measurement_sees_memory() -> None:
    assert bench.memory("import torch; kept = torch.ones(40_000_000)") > 150


@pytest.mark.parametrize(
    "loss", [loss for loss in SMOOTH if loss.y and loss.name != "branching"], ids=lambda one: one.name
)
def test_curvature_equals_torchs_own_hessian(loss: Loss) -> None:
    axes = read_axes(loss.x, loss.y)
    batched = adapt(loss.function, axes, {})
    point = [axis.lo + 0.37 * axis.width for axis in axes]
    mine = curvature_at(batched, batched.names[-1], np.array([point]))[0]

    def value(place: torch.Tensor) -> torch.Tensor:
        total: torch.Tensor = batched.call([place[:1], place[1:]])["loss"].sum()
        return total

    exact = torch.autograd.functional.hessian(value, torch.tensor(point, dtype=torch.float64))  # type: ignore[no-untyped-call]
    np.testing.assert_allclose(mine, exact.numpy(), rtol=1e-8, atol=1e-10)


def test_curvature_without_second_derivatives_falls_back_to_differences() -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: torch.autograd.function.FunctionCtx, upstream: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors  # type: ignore[attr-defined]
            slope: torch.Tensor = 3 * x**2 * upstream
            return slope

    batched = adapt(Once.apply, read_axes(("x", -1, 1), None), {})
    assert curvature_at(batched, "loss", np.array([[0.5]]))[0, 0, 0] == pytest.approx(3.0, rel=1e-5)


def test_terms_and_their_sum() -> None:
    seen = sleuth.surface(
        lambda a, b: {"fit": (a - b) ** 2, "flat": a * 0 + 1, "reg": 0.1 * b**2},
        ("a", -1, 1),
        ("b", -1, 1),
        n=9,
    )
    assert [sheet.term for sheet in seen.sheets] == ["fit", "flat", "reg", "total"]
    np.testing.assert_allclose(seen.loss, sum(sheet.loss for sheet in seen.sheets[:3]))
    np.testing.assert_allclose(seen.slopes["b"], sum(sheet.slopes[1] for sheet in seen.sheets[:3]))


def test_a_dict_may_bring_its_own_total() -> None:
    seen = sleuth.surface(lambda x: {"total": 3 * x**2, "part": x**2}, x=("x", -1, 1), n=9)
    assert seen.main.term == "total"
    assert seen.loss[0] == pytest.approx(3.0)
    assert seen.slopes["x"][0] == pytest.approx(-6.0)


def test_slices_draw_the_map_again() -> None:
    seen = sleuth.surface(lambda x, m: (x - m) ** 2, x=("x", -1, 1), slices={"m": [0.0, 0.5]}, n=9)
    assert [dict(sheet.at) for sheet in seen.sheets] == [{"m": 0.0}, {"m": 0.5}]
    assert seen.sheets[1].loss[0] == pytest.approx(2.25)
