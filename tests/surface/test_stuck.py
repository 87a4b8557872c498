"""Why a metric will not move: every row of the table with a known answer, every measurement with its twin."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import sleuth
from sleuth import catalog
from sleuth.errors import SleuthError
from sleuth.report import Report
from sleuth.stuck_metric import Standstill, care, inertia, reach, read_case, rivals, span
from sleuth.stuck_metric.answers import TABLE


def weights(*values: float) -> nn.Parameter:
    return nn.Parameter(torch.tensor(values or (0.5, -1.0, 2.0, 0.3)))


def ask(metric: Any, loss: Any, w: nn.Parameter, **more: Any) -> Standstill:
    return sleuth.stuck(metric=metric, loss=loss, parameters={"w": w}, **more)


class Constant(torch.autograd.Function):
    """A stand-in that promises a slope and delivers none."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * 0 + 3

    @staticmethod
    def backward(ctx: object, upstream: Tensor) -> Tensor:
        return upstream


def stand_in(x: Tensor) -> Tensor:
    result: Tensor = Constant.apply(x)  # type: ignore[no-untyped-call]
    return result


def rotation(angles: Tensor) -> Tensor:
    """A 3 × 3 rotation from three angles."""
    upper = torch.zeros(3, 3).index_put((torch.tensor([0, 0, 1]), torch.tensor([1, 2, 2])), angles)
    return torch.matrix_exp(upper - upper.T)


def basis_case() -> tuple[Callable[[], Tensor], nn.Parameter]:
    """A fixed output basis behind a trained rotation: the span of the outputs never changes."""
    torch.manual_seed(0)
    basis = torch.linalg.qr(torch.randn(16, 3))[0]
    target = nn.functional.normalize(torch.randn(16), dim=0)
    angles = nn.Parameter(0.3 * torch.randn(3))
    return lambda: ((basis @ rotation(angles)).T @ target).norm(), angles


def test_a_fixed_basis_behind_a_rotation_is_a_structural_ceiling() -> None:
    metric, angles = basis_case()
    seen = sleuth.stuck(metric=metric, loss=lambda m: (1 - m) ** 2, parameters={"angles": angles})
    assert (seen.row, seen.cause) == ("structural-ceiling", "structural-ceiling")
    assert seen.findings[0].confirmed_by
    assert seen.findings[0].family == "architecture"


def test_the_same_metric_with_a_free_basis_is_held_by_a_competing_term_instead() -> None:
    torch.manual_seed(0)
    basis = nn.Parameter(torch.linalg.qr(torch.randn(16, 3))[0])
    target = nn.functional.normalize(torch.randn(16), dim=0)

    def metric() -> Tensor:
        share: Tensor = (basis.T @ target).norm()
        return share

    seen = sleuth.stuck(
        metric=metric,
        loss=lambda m: (1 - m) ** 2,
        parameters={"basis": basis},
        terms={"small": lambda: 3 * metric() ** 2},
    )
    assert (seen.row, seen.cause) == ("competing-or-inertia", "loss-terms-conflict")


CASES: dict[str, tuple[Callable[[nn.Parameter], Standstill], str, str | None]] = {
    "sigmoid far out": (
        lambda w: ask(lambda: w[0] - 20, lambda m: (1 - torch.sigmoid(m)) ** 2, w),
        "saturated-or-disconnected",
        "loss-saturated",
    ),
    "log1p far out": (
        lambda w: ask(lambda: w[0] + 1e4, torch.log1p, w),
        "saturated-or-disconnected",
        "loss-saturated",
    ),
    "a hinge that is met": (
        lambda w: ask(lambda: w[0], lambda m: torch.relu(m - 9), w),
        "saturated-or-disconnected",
        "loss-saturated",
    ),
    "a detached loss": (
        lambda w: ask(lambda: w.sum(), lambda m: (m.detach() - 1) ** 2, w),
        "saturated-or-disconnected",
        "loss-disconnected",
    ),
    "a detached metric": (
        lambda w: ask(lambda: w.detach().sum(), lambda m: (m - 9) ** 2, w),
        "saturated-or-disconnected",
        "loss-disconnected",
    ),
    "a rounded metric": (
        lambda w: ask(lambda: (10 * w).round().sum(), lambda m: (m - 99) ** 2, w),
        "saturated-or-disconnected",
        "loss-disconnected",
    ),
    "a slope that lies": (
        lambda w: ask(lambda: stand_in(w.sum()), lambda m: (m - 9) ** 2, w),
        "structural-ceiling",
        "structural-ceiling",
    ),
    "a direction out of reach": (
        lambda w: ask(
            lambda: torch.cat([w, torch.zeros(4)]),
            lambda m: ((m[4:] - 3) ** 2).sum(),
            w,
        ),
        "structural-ceiling",
        "structural-ceiling",
    ),
    "a term that pulls back": (
        lambda w: ask(
            lambda: w.sum(), lambda m: (m - 9) ** 2, w, terms={"back": lambda: 4 * (w.sum() + 3) ** 2}
        ),
        "competing-or-inertia",
        "loss-terms-conflict",
    ),
    "a term that shouts": (
        lambda w: ask(
            lambda: w.sum(), lambda m: 1e-4 * (m - 9) ** 2, w, terms={"loud": lambda: 90 * (w**2).sum()}
        ),
        "competing-or-inertia",
        "loss-terms-imbalanced",
    ),
    "nothing wrong": (lambda w: ask(lambda: w.sum(), lambda m: (m - 9) ** 2, w), "free", None),
    "a friendly term": (
        lambda w: ask(lambda: w.sum(), lambda m: (m - 9) ** 2, w, terms={"too": lambda: (w.sum() - 8) ** 2}),
        "free",
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_case_gets_its_row_and_cause(name: str) -> None:
    make, row, cause = CASES[name]
    seen = make(weights())
    assert (seen.row, seen.cause) == (row, cause), seen.text()
    assert seen.verdict.status == ("cause-found" if cause else "nothing-found")
    if cause:
        assert seen.findings[0].numbers
        assert seen.findings[0].fix.endswith(".")
        assert catalog.find(cause).family == seen.findings[0].family


def test_the_table_has_four_rows() -> None:
    assert [row[3] for row in TABLE] == [
        "saturated-or-disconnected",
        "structural-ceiling",
        "competing-or-inertia",
        "same-basin",
    ]


def test_tensors_of_one_graph_will_do() -> None:
    w = weights()
    m = w.sum()
    seen = ask(m, (m - 9) ** 2, w, terms={"back": 4 * (m + 3) ** 2})
    assert seen.cause == "loss-terms-conflict"
    assert seen.answers.reach.measured is None
    assert "not checked" in seen.text()
    m.backward()  # type: ignore[no-untyped-call]  # the user's graph is still alive


def test_the_own_term_is_recognised_among_the_terms() -> None:
    w = weights()

    def aim(m: Tensor) -> Tensor:
        return (m - 9) ** 2

    seen = ask(lambda: w.sum(), aim, w, terms={"aim": aim, "back": lambda: 4 * (w.sum() + 3) ** 2})
    assert seen.answers.rivals.own == "aim"
    assert set(seen.answers.rivals.cosines) == {"back"}


def training(w: nn.Parameter, pull: float) -> Callable[..., Tensor]:
    def train(without: set[str]) -> Tensor:
        optimizer = torch.optim.SGD([w], lr=0.02)
        for _ in range(200):
            optimizer.zero_grad()
            aim = 0.0 if "aim" in without else pull * (w.sum() - 9) ** 2
            hold = 0.0 if "hold" in without else ((w - 1) ** 2).sum()
            (aim + hold + 0 * w.sum()).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        return w.sum()

    return train


@pytest.mark.parametrize(("pull", "row"), [(1e-4, "same-basin"), (1.0, "competing-or-inertia")])
def test_the_counterfactual_tells_a_term_that_was_never_learned(pull: float, row: str) -> None:
    w = weights()
    before = w.detach().clone()
    seen = ask(
        lambda: w.sum(),
        lambda m: pull * (m - 9) ** 2,
        w,
        own="aim",
        terms={"aim": lambda m: pull * (m - 9) ** 2, "hold": lambda: ((w - 1) ** 2).sum()},
        train=training(w, pull),
    )
    assert seen.row == row
    proof = seen.answers.counterfactual
    assert proof is not None
    assert proof.without_own == pytest.approx(4.0, abs=0.01)
    # With weight p, the sum s of four weights settles where 4 p (s - 9) + (s - 4) = 0.
    assert proof.with_all == pytest.approx((4 + 36 * pull) / (1 + 4 * pull), abs=0.01)
    assert torch.equal(w.detach(), before)


def test_parameters_optimizer_gradients_and_random_stream_are_left_as_they_were() -> None:
    w = weights()
    optimizer = torch.optim.Adam([w], lr=0.1)
    (w.sum() ** 2).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    before = (w.detach().clone(), w.grad.clone() if w.grad is not None else None, torch.get_rng_state())
    state = {key: value.clone() for key, value in optimizer.state[w].items()}

    def train(without: set[str]) -> float:
        w.grad = torch.ones_like(w)
        optimizer.step()
        return float(w.detach().sum()) + float(torch.rand(()))

    ask(lambda: w.sum(), lambda m: (m - 9) ** 2, w, optimizer=optimizer, train=train)
    assert torch.equal(w.detach(), before[0])
    assert w.grad is not None
    assert before[1] is not None
    assert torch.equal(w.grad, before[1])
    assert torch.equal(torch.get_rng_state(), before[2])
    assert all(torch.equal(optimizer.state[w][key], value) for key, value in state.items())


def test_adams_old_second_moment_is_inertia() -> None:
    w = weights()
    optimizer = torch.optim.Adam([w], lr=1e-3)
    (1e5 * w.sum()).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    seen = ask(lambda: w.sum(), lambda m: (m - 9) ** 2, w, optimizer=optimizer)
    assert (seen.row, seen.cause, seen.verdict.status) == ("competing-or-inertia", None, "inconclusive")
    assert seen.answers.inertia is not None
    # One step with gradient 1e5; the fresh gradient is 2 (sum - 9).
    fresh = abs(2 * (float(w.sum().detach()) - 9))
    assert seen.answers.inertia.damping == pytest.approx(1e5 / fresh, rel=1e-3)


def test_momentum_against_the_fresh_gradient_is_inertia() -> None:
    w = weights()
    optimizer = torch.optim.SGD([w], lr=0.0, momentum=0.9)
    for _ in range(20):
        w.grad = torch.full_like(w, 50.0)
        optimizer.step()
    case = read_case(lambda: w.sum(), lambda m: (m - 9) ** 2, {"w": w}, None, None)
    seen = inertia(case, optimizer)
    assert seen is not None
    assert seen.cosine == pytest.approx(-1.0)
    assert seen.holds
    assert seen.memory == pytest.approx(10)


def test_care_equals_a_finite_difference() -> None:
    w = weights()
    case = read_case(lambda: w.sum(), lambda m: torch.sin(m) + 2, {"w": w}, None, None)
    m = float(w.sum().detach())
    assert care(case).slope == pytest.approx(abs(np.sin(m + 1e-5) - np.sin(m - 1e-5)) / 2e-5, rel=1e-4)


def test_reach_equals_the_exact_slope_and_names_layers() -> None:
    a, b = nn.Parameter(torch.tensor([3.0])), nn.Parameter(torch.tensor([0.5]))
    case = read_case(lambda: (a * b).sum(), lambda m: (m - 9) ** 2, {"a": a, "b": b}, None, None)
    seen = reach(case, torch.tensor(-1.0))
    assert seen.layers == pytest.approx({"a": 0.5, "b": 3.0})
    assert seen.promised == pytest.approx((0.5**2 + 3**2) ** 0.5)
    assert seen.measured == pytest.approx(seen.promised, rel=1e-3)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_the_rank_test_equals_a_least_squares_fit(entries: int, count: int, seed: int) -> None:
    source = torch.Generator().manual_seed(seed)
    jacobian = torch.randn(entries, count, generator=source, dtype=torch.float64)
    aim = torch.randn(entries, generator=source, dtype=torch.float64)
    aim = aim / aim.norm()
    w = nn.Parameter(torch.randn(count, generator=source, dtype=torch.float64))
    case = read_case(lambda: jacobian @ w, lambda m: m.sum(), {"w": w}, None, None)
    share, rank, _, _ = span(case, aim)
    solution = np.linalg.lstsq(jacobian.numpy(), aim.numpy(), rcond=None)[0]
    left = aim.numpy() - jacobian.numpy() @ solution
    assert share == pytest.approx(1 - float(left @ left), abs=1e-8)
    assert rank == np.linalg.matrix_rank(jacobian.numpy())


def test_the_rank_test_survives_many_parameters() -> None:
    torch.manual_seed(0)
    jacobian = torch.zeros(6, 9000, dtype=torch.float64)
    jacobian[:3] = torch.randn(3, 9000, dtype=torch.float64)
    w = nn.Parameter(torch.randn(9000, dtype=torch.float64))
    case = read_case(lambda: jacobian @ w, lambda m: m.sum(), {"w": w}, None, None)
    aim = torch.ones(6, dtype=torch.float64) / 6**0.5
    share, rank, _, _ = span(case, aim)
    assert share == pytest.approx(0.5, abs=1e-6)
    assert rank == 3


def test_rivals_equal_the_vectors_by_hand() -> None:
    w = weights(1.0, 0.0)
    terms = {"other": lambda: -2 * w[0] + 3 * w[1]}
    case = read_case(lambda: w[0], lambda m: 4 * m + 0 * w.sum(), {"w": w}, terms, None)
    seen = rivals(case)
    own, other = np.array([4.0, 0.0]), np.array([-2.0, 3.0])
    assert seen.norms == pytest.approx({"loss": 4.0, "other": 13**0.5})
    assert seen.cosines["other"] == pytest.approx(own @ other / 4 / 13**0.5)
    assert seen.left == pytest.approx(own @ (own + other) / 16)
    assert seen.cancelled == pytest.approx(1 - np.linalg.norm(own + other) / (4 + 13**0.5))


def test_conditioning_is_the_ratio_of_curvatures() -> None:
    w = weights(1.0, 0.0)
    case = read_case(lambda: w[0], lambda m: 0.5 * m**2, {"w": w}, {"sharp": lambda: 500 * w[1] ** 2}, None)
    assert rivals(case).sharpness_ratio == pytest.approx(1000.0, rel=1e-3)


def test_layers_may_come_as_a_module_or_as_pairs() -> None:
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(5, 3)
    for parameters in (model, model.named_parameters(), dict(model.named_parameters())):
        seen = sleuth.stuck(
            metric=lambda: model(x).mean(), loss=lambda m: (m - 1) ** 2, parameters=parameters
        )
        assert list(seen.answers.reach.layers) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_text_and_json() -> None:
    w = weights()
    seen = CASES["a term that pulls back"][0](w)
    for part in ("Does the loss care?", "Can the parameters move it?", "Is something fighting it?", "next:"):
        assert part in seen.text()
    data = seen.to_dict()
    assert data["schema"] == "sleuth.report/1"
    assert data["row"] == "competing-or-inertia"
    assert Report.from_dict(data).findings == seen.findings
    assert len(data["observations"]) == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"metric": lambda: 3.0}, "metric gave float"),
        ({"metric": lambda: torch.tensor(3)}, "real numbers"),
        ({"metric": lambda: torch.tensor(float("nan"), requires_grad=True)}, "not finite"),
        ({"loss": lambda m: m * torch.ones(2)}, "gave 2 values"),
        ({"loss": torch.tensor(1.0)}, "both as functions"),
        ({"parameters": [1, 2]}, "maps names to tensors"),
        ({"parameters": {"w": 3}}, "not a tensor"),
        ({"parameters": {"w": torch.ones(2)}}, "nothing that training could move"),
        ({"terms": {"t": lambda: "x"}}, r"terms\['t'\] gave str"),
        ({"terms": {"t": lambda m: m}, "own": "u"}, "none of the terms"),
        ({"train": lambda without: "far"}, "should return the metric"),
    ],
)
def test_a_wrong_request_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    w = weights()
    request: dict[str, Any] = {
        "metric": lambda: w.sum(),
        "loss": lambda m: (m - 9) ** 2,
        "parameters": {"w": w},
    }
    with pytest.raises(SleuthError, match=sentence):
        sleuth.stuck(**{**request, **change})
