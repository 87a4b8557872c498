"""What may be asked of a surface, and the one sentence for what may not."""

import math
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import sleuth
from sleuth.cli.surface import read_axis_option, read_place
from sleuth.errors import SleuthError
from sleuth.loss_surface.axes import Axis, read_axes, read_region

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def never(**_: Any) -> None:
    raise AssertionError("called before the request was checked")


@pytest.mark.parametrize(
    ("axis", "sentence"),
    [
        (("x", 0, 0), "empty"),
        (("x", 1, -1), "empty"),
        (("x", 0, math.nan), "finite"),
        (("x", -math.inf, 1), "finite"),
        (("x", range(5)), "integer axis"),
        (("x", torch.tensor(0), torch.tensor(5)), "integer axis"),
        (("x", False, True), "integer axis"),
        (("x", "a", 1), "no number"),
        (("x", 0), "is not an axis"),
        ("x", "is not an axis"),
        ((3, 0, 1), "is not an axis"),
    ],
)
def test_a_wrong_axis_is_refused_before_any_work(axis: Any, sentence: str) -> None:
    with pytest.raises(SleuthError, match=sentence):
        sleuth.surface(never, x=axis)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"n": 2}, "n=2"),
        ({"n": 8.0}, "n=8.0"),
        ({"want": (1, 1, 1)}, "want"),
        ({"want": (5, 0)}, "outside the map"),
        ({"want": (math.nan, 0)}, "finite"),
        ({"start": ((1, 0), 0)}, "empty"),
        ({"slices": {"m": 3}}, "list of numbers"),
        ({"slices": {"m": [1.0]}, "fixed": {"m": 1.0}}, "both sliced and held fixed"),
        ({"y": ("x", 0, 1)}, "Both axes"),
    ],
)
def test_a_wrong_request_is_refused_before_any_work(request_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SleuthError, match=sentence):
        sleuth.surface(never, **{"x": ("x", -1, 1), "y": ("y", -1, 1), **request_})


def shy(distance: torch.Tensor, margin: float) -> torch.Tensor:
    return torch.relu(margin - distance)


def counted(label: int, x: torch.Tensor) -> torch.Tensor:
    return x * label


def raising(x: torch.Tensor) -> torch.Tensor:
    raise KeyError("weights")


@pytest.mark.parametrize(
    ("function", "request_", "sentence"),
    [
        (
            shy,
            {"x": ("distanse", 0, 1)},
            r"shy takes \(distance, margin\), not 'distanse'. Did you mean 'distance'",
        ),
        (shy, {"x": ("distance", 0, 1)}, "also needs margin"),
        (shy, {"x": ("distance", 0, 1), "fixed": {"margin": 1.0, "extra": 2}}, "not 'extra'"),
        (counted, {"x": ("label", 0, 9), "fixed": {"x": torch.ones(())}}, "integer axis"),
        (
            raising,
            {"x": ("x", 0, 1)},
            r"raising\(x=0.137\) raised KeyError: 'weights'. It should return one value",
        ),
        (lambda x: x.detach(), {"x": ("x", 0, 1)}, "has no gradient"),
        (lambda x: x.round().long(), {"x": ("x", 0, 1)}, "has no gradient"),
        (lambda x: float(x.detach().sum()), {"x": ("x", 0, 1)}, r"returned the plain number .* no gradient"),
        (lambda x: "loss", {"x": ("x", 0, 1)}, "returned str"),
        (lambda x: {}, {"x": ("x", 0, 1)}, "empty dict"),
        (lambda x: x.reshape(-1)[:1].expand(3), {"x": ("x", 0, 1)}, "not one value a point"),
        (7, {"x": ("x", 0, 1)}, "is not a function"),
    ],
)
def test_a_wrong_function_is_named_with_the_call(
    function: Any, request_: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SleuthError, match=sentence):
        sleuth.surface(function, **request_)


def test_the_input_that_raises_in_the_middle_of_the_grid_is_found() -> None:
    def fragile(x: torch.Tensor) -> torch.Tensor:
        if bool((x > 0.9).any()):
            raise ValueError("too far")
        return x**2

    with pytest.raises(SleuthError, match=r"fragile\(x=0\.9\d+\) raised ValueError: too far"):
        sleuth.surface(fragile, x=("x", 0, 1))


@given(NUMBERS, NUMBERS)
def test_an_axis_option_reads_back(lo: float, hi: float) -> None:
    assert read_axis_option(f"a={lo!r}:{hi!r}") == ("a", lo, hi)


@given(st.lists(st.one_of(NUMBERS, st.tuples(NUMBERS, NUMBERS)), min_size=1, max_size=2))
def test_a_place_option_reads_back(parts: list[Any]) -> None:
    text = ",".join(f"{part[0]!r}:{part[1]!r}" if isinstance(part, tuple) else repr(part) for part in parts)
    assert read_place(text, "--want", len(parts)) == (parts[0] if len(parts) == 1 else tuple(parts))


@given(st.text(alphabet="a=:.-1 ,", max_size=12))
def test_any_text_is_an_axis_or_a_mistake_of_the_user(text: str) -> None:
    with suppress(SleuthError):
        name, lo, hi = read_axis_option(text)
        assert name
        assert read_axis_option(f"{name}={lo!r}:{hi!r}") == (name, lo, hi)


def test_regions_of_every_form() -> None:
    one, two = read_axes(("x", 0, 1), None), read_axes(("x", 0, 1), ("y", 0, 1))
    assert read_region(0.5, one, "want").spans == ((0.5, 0.5),)  # type: ignore[union-attr]
    assert read_region((0.2, 0.4), one, "want").spans == ((0.2, 0.4),)  # type: ignore[union-attr]
    assert read_region((1, (0, 0.5)), two, "want").spans == ((1.0, 1.0), (0.0, 0.5))  # type: ignore[union-attr]
    tested = read_region(lambda x, y: x > y, two, "want")
    assert tested is not None
    assert tested.test is not None
    assert read_region(None, two, "want") is None


def test_a_region_may_be_a_test_of_the_point() -> None:
    seen = sleuth.surface(
        lambda a, b: torch.relu(b - a + 0.2), ("a", -1, 1), ("b", -1, 1), want=lambda a, b: a > b + 0.2, n=30
    )
    assert seen.findings == ()


FIRST: dict[str, str] = {
    "first": "import sleuth",
    "last": "import sleuth.loss_surface.survey, sleuth.stuck_metric.asking, sleuth.cli.surface, sleuth.show",
}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_the_public_names_are_functions_whatever_was_imported_before(first: str) -> None:
    code = (
        f"{first}; import sleuth\n"
        "seen = sleuth.surface(lambda x: x ** 2, x=('x', -1, 1), n=9)\n"
        "import sleuth.loss_surface, sleuth.stuck_metric\n"
        "assert callable(sleuth.surface) and callable(sleuth.stuck)\n"
        "assert sleuth.surface is sleuth.loss_surface.surface and sleuth.stuck is sleuth.stuck_metric.stuck\n"
        "print(len(seen.loss))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "9\n", done.stderr


def test_a_missing_package_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from sleuth import needs

    monkeypatch.setattr(needs, "find_spec", lambda name: None)
    with pytest.raises(SleuthError, match=r"needs torch: pip install 'sleuth\[torch\]'"):
        sleuth.surface(lambda x: x, x=("x", 0, 1))


def test_an_axis_says_what_it_is() -> None:
    assert str(Axis("margin", 0, 2)) == "margin from 0 to 2"


def styles() -> dict[str, tuple[Callable[..., Any], str]]:
    return {
        "whole tensors": (lambda a, b: a * b, "vectorised"),
        "one point": (lambda a, b: torch.stack([a, b]).norm(), "vmapped"),
        "one point, a mean": (lambda a, b: torch.nn.functional.mse_loss(a, b), "vmapped"),
        "mixes points": (lambda a, b: a * b / (a.sum() + b.sum()), "vmapped"),
        "branches": (lambda a, b: a * b if a > b else a + b, "looped"),
        "a column": (lambda a, b: (a * b)[:, None], "vectorised"),
    }


@pytest.mark.parametrize("name", styles())
def test_the_style_of_a_function_is_found_and_gives_the_same_values(name: str) -> None:
    function, style = styles()[name]
    seen = sleuth.surface(function, ("a", 0.5, 1.5), ("b", 0.4, 1.6), n=5)
    assert seen.calls[0].style == style
    for i, a in enumerate(seen.main.ticks[0]):
        for j, b in enumerate(seen.main.ticks[1]):
            # The slow twin: one point at a time, one backward pass each.
            shape = (1,) if style == "vectorised" else ()
            inputs = [torch.full(shape, float(v), dtype=torch.float64, requires_grad=True) for v in (a, b)]
            value = function(*inputs).sum()
            slopes = torch.autograd.grad(value, inputs)
            assert seen.loss[i, j] == pytest.approx(value.item())
            for axis, slope in zip("ab", slopes, strict=True):
                assert seen.slopes[axis][i, j] == pytest.approx(float(slope.sum()))


def test_a_criterion_and_a_float32_module_are_taken() -> None:
    seen = sleuth.surface(torch.nn.MSELoss(), x=("input", -1, 1), fixed={"target": 0.5}, n=9)
    assert seen.slopes["input"][0] == pytest.approx(-3.0)
    torch.manual_seed(0)
    layer = torch.nn.Linear(1, 1)
    model = sleuth.surface(lambda x: layer(x[:, None])[:, 0], x=("x", -1, 1), n=9)
    assert model.calls[0].dtype == torch.float32
    assert layer.weight.grad is None
    inside = sleuth.surface(
        lambda p, criterion: criterion(p, p * 0), ("p", -1, 1), fixed={"criterion": torch.nn.L1Loss()}
    )
    assert inside.calls[0].style == "vmapped"


def test_the_callers_random_stream_and_grad_mode_are_left_alone() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    with torch.no_grad():
        seen = sleuth.surface(
            lambda x: torch.nn.functional.dropout(x, 0.0) ** 2 + 0 * torch.rand(()), x=("x", -1, 1)
        )
    assert torch.equal(before, torch.get_rng_state())
    assert seen.slopes["x"][-1] == pytest.approx(2.0)
