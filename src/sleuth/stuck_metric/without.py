"""The counterfactual: train a short stretch with a term and without it, from the same start, and compare."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sleuth.errors import SleuthError
from sleuth.stuck_metric.case import Case, restored

SAME = 0.02  # of the larger of value and movement: less than this apart is the same place
SAME_WITHOUT = "same value without the term?"
MOST_RIVALS = 4  # that are switched off one by one; each costs a stretch of training


@dataclass(frozen=True)
class Counterfactual:
    """The metric at first, after a stretch with every term, without the own one, and without each rival."""

    now: float
    with_all: float
    without_own: float
    without: dict[str, float]

    @property
    def same(self) -> bool:
        """Whether the term made no difference: what was reached was never its doing."""
        return _close(self.with_all, self.without_own, self.now)

    def freed_by(self) -> tuple[str, ...]:
        """The rivals without which the metric ends elsewhere than with them."""
        return tuple(
            name for name, value in self.without.items() if not _close(value, self.with_all, self.now)
        )

    def to_dict(self) -> dict[str, Any]:
        return {"question": SAME_WITHOUT, "same": self.same, **asdict(self)}


def counterfactual(case: Case, train: Callable[..., Any], optimizer: Any = None) -> Counterfactual:
    """Every stretch starts from the same parameters, optimizer state and random numbers."""
    rivals = list(case.rivals)[:MOST_RIVALS]

    def after(*without: str) -> float:
        import torch

        with restored(case.parameters, optimizer):
            torch.manual_seed(0)
            return _metric_as_number(train(without=set(without)), without)

    return Counterfactual(
        now=float(case.metric.detach().double().mean()),
        with_all=after(),
        without_own=after(case.own),
        without={name: after(name) for name in rivals},
    )


def _metric_as_number(value: Any, without: tuple[str, ...]) -> float:
    import torch

    if isinstance(value, torch.Tensor) and value.numel():
        return float(value.detach().double().mean())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise SleuthError(
        f"train(without={set(without) or '{}'}) gave {type(value).__name__}; it should return the metric."
    )


def _close(one: float, two: float, now: float) -> bool:
    return abs(one - two) <= SAME * max(abs(one), abs(two), abs(one - now), abs(two - now))
