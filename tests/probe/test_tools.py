"""`sleuth.testing`, `sleuth.leak` and `sleuth.diff`: right where all is well, and loud where not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import sleuth
from sleuth import testing
from sleuth.errors import SleuthError
from sleuth.measure.memorise import read_curve
from tests.probe.cases import CASES, classify, mlp, seeded

torch.set_num_threads(1)


def given(slug: str, which: int) -> tuple[Any, ...]:
    made = CASES[slug][which]()
    return made["model"], made["batch"], made.get("loss_fn") or made["step"]


def step_case(slug: str, which: int) -> tuple[Any, ...]:
    made = CASES[slug][which]()
    step = made["step"]

    def loss(model: nn.Module, batch: Any) -> Any:
        return step(model, batch)

    return made["model"], made["batch"], loss


ASSERTIONS: list[
    tuple[Callable[..., None], Callable[[], tuple[Any, ...]], Callable[[], tuple[Any, ...]], str]
] = [
    (
        testing.assert_batch_independent,
        lambda: given("batch-mixing", 1),
        lambda: given("batch-mixing", 0),
        "axes",
    ),
    (
        testing.assert_causal,
        lambda: step_case("causal-leak", 1),
        lambda: step_case("causal-leak", 0),
        "future",
    ),
    (
        testing.assert_gradients_flow,
        lambda: given("detached-graph", 1),
        lambda: given("detached-graph", 0),
        "a.weight",
    ),
    (
        testing.assert_init_loss,
        lambda: given("init-loss-off", 1),
        lambda: given("init-loss-off", 0),
        "guessing",
    ),
    (
        testing.assert_deterministic_eval,
        lambda: given("dropout-ignores-mode", 1),
        lambda: given("dropout-ignores-mode", 0),
        "dropout",
    ),
    (
        testing.assert_targets_matter,
        lambda: given("loss-broadcast", 1),
        lambda: (mlp(), classify()["batch"], lambda output, target: output.pow(2).mean()),
        "does not depend on the targets",
    ),
]


@pytest.mark.parametrize("entry", ASSERTIONS, ids=lambda entry: entry[0].__name__)
def test_an_assertion_passes_and_fails_where_it_should(entry: Any) -> None:
    check, good, bad, words = entry
    check(*good())
    with pytest.raises(AssertionError, match=words):
        check(*bad())


def test_overfitting_one_batch() -> None:
    x, _ = seeded(16)
    testing.assert_overfits(mlp(6, 1), (x, x[:, :1]), nn.MSELoss(), to=0.2)
    frozen = mlp(6, 1).requires_grad_(False)
    frozen[4].bias.requires_grad_(True)
    with pytest.raises(AssertionError, match="could not memorise one batch"):
        testing.assert_overfits(frozen, (x, x[:, :1]), nn.MSELoss(), to=0.2)


def test_what_cannot_be_asserted_is_an_error_and_no_pass() -> None:
    with pytest.raises(SleuthError, match="cannot be asserted"):
        testing.assert_causal(mlp(), classify()["batch"], nn.CrossEntropyLoss())


TABLE = np.random.default_rng(0).normal(size=(100, 3)) * 4 + 2
LABEL = (TABLE[:, 0] > 2).astype(float)


def scaled_by_all(X: Any) -> Any:  # noqa: N803
    return (X - X.mean(0)) / X.std(0)


def scaled_by_past(X: Any) -> Any:  # noqa: N803
    return (X - X[:60].mean(0)) / X[:60].std(0)


def encoded_by_all_labels(X: Any, y: Any) -> Any:  # noqa: N803
    return np.column_stack([X, np.full(len(X), np.mean(y))])


def test_dye_finds_the_stage_it_crosses() -> None:
    found = sleuth.leak([("honest", scaled_by_past), ("guilty", scaled_by_all)], TABLE, LABEL, 60)
    assert [(c.stage, c.what, c.dye) for c in found.crossings] == [("guilty", "the later rows", "NaN")]
    assert "guilty" in str(found)


def test_a_sentinel_finds_what_nan_does_not() -> None:
    def skips(X: Any) -> Any:  # noqa: N803
        rows = X[~np.isnan(X).any(axis=1)]
        return X - (rows.mean(0) if len(rows) == len(X) else TABLE.mean(0))

    (crossing,) = sleuth.leak(skips, TABLE, None, 60).crossings
    assert crossing.dye == "sentinel"


def test_labels_are_dyed_too() -> None:
    found = sleuth.leak(encoded_by_all_labels, TABLE, LABEL, 60)
    assert [c.what for c in found.crossings] == ["the later labels"]


def test_an_honest_pipeline_is_clean_and_says_what_was_tried() -> None:
    found = sleuth.leak(scaled_by_past, TABLE, LABEL, 60)
    assert not found
    assert len(found.tried) == 4
    testing.assert_no_leak(scaled_by_past, TABLE, LABEL, 60)
    with pytest.raises(AssertionError, match="later rows reach 60 rows"):
        testing.assert_no_leak(scaled_by_all, TABLE, LABEL, 60)


def test_sklearn_stages_are_understood_and_left_unfitted() -> None:
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
    from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

    scaler = StandardScaler()
    assert sleuth.leak(make_pipeline(scaler), TABLE, LABEL, 60)
    assert not hasattr(scaler, "mean_")


@pytest.mark.parametrize(
    ("pipeline", "cutoff", "words"),
    [
        (scaled_by_all, 200, "must lie between"),
        (lambda table: table[:5], 60, "one row for each row"),
        (5, 60, "expected a function"),
    ],
)
def test_a_wrong_request_to_leak(pipeline: Any, cutoff: int, words: str) -> None:
    with pytest.raises(SleuthError, match=words):
        sleuth.leak(pipeline, TABLE, LABEL, cutoff)


def nets(activation: nn.Module) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), activation, nn.Linear(8, 2))


def test_the_first_module_that_differs_is_named() -> None:
    found = sleuth.diff(nets(nn.Tanh()), nets(nn.ReLU()), torch.randn(5, 4))
    assert found
    assert found.first is not None
    assert (found.first.mine, found.first.kind) == ("1", "Tanh/ReLU")
    assert "First difference: `1`" in str(found)


def test_equal_models_with_other_weights_agree_and_stay_what_they_are() -> None:
    mine, reference = nets(nn.ReLU()), nets(nn.ReLU())
    before = [p.detach().clone() for p in mine.parameters()]
    found = sleuth.diff(mine, reference, (torch.randn(5, 4), torch.zeros(5)))
    assert not found
    assert all(torch.equal(a, b) for a, b in zip(before, mine.parameters(), strict=True))


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 1

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Tensor:
        return slopes[0] * 2


class Odd(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = Straight.apply(x)  # type: ignore[no-untyped-call]
        return out


def test_a_wrong_gradient_shows_although_outputs_agree() -> None:
    found = sleuth.diff(nets(Odd()), nets(nn.Identity()), torch.randn(5, 4))
    assert found.first is None
    assert found.first_gradient is not None
    assert found.first_gradient.mine == "0"


def test_models_without_a_match_are_named() -> None:
    found = sleuth.diff(nets(nn.ReLU()), nn.Sequential(nn.Linear(4, 9), nn.Linear(9, 2)), torch.randn(5, 4))
    assert any("mine: 0" in name for name in found.unpaired)
    with pytest.raises(SleuthError, match="expected a torch"):
        sleuth.diff(3, nets(nn.ReLU()), torch.randn(5, 4))


def test_labels_without_a_rule_take_longer_and_are_learned_all_the_same() -> None:
    torch.manual_seed(0)
    small = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    testing.assert_overfits(small, (torch.randn(32, 6), torch.randint(3, (32,))), nn.CrossEntropyLoss())


def test_inputs_alone_are_enough_to_ask_for_independence() -> None:
    class Centred(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x - x.mean(0)

    x = torch.randn(32, 6)
    testing.assert_batch_independent(mlp(), x)
    with pytest.raises(AssertionError, match="other examples"):
        testing.assert_batch_independent(nn.Sequential(Centred(), mlp()), x)


def test_a_curve_that_still_falls_is_no_plateau() -> None:
    falling = [1.2 - 0.004 * step for step in range(150)]
    at_rest = [0.6 + 0.6 * 0.95**step for step in range(150)]
    assert [read_curve(curve, complete=True)[0] for curve in (falling, at_rest)] == ["falls", "plateaus"]
