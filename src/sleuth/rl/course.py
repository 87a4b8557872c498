"""What causes ask of a logged run: whether the agent learns, how large its entropy can be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, pstdev

from sleuth.finding import Evidence, Telling
from sleuth.rl.logs import Run, Series, finite

POINTS = 10  # fewer are no course
COLLAPSED, FLAT = 0.1, 0.95  # of the largest entropy; see the pages on entropy that falls, and that does not
EARLY = 0.2  # share of the run in which a collapse is early


@dataclass(frozen=True)
class LoggedAgent:
    """One run as its log tells it. `actions`: how many the agent chooses among, where that is known."""

    run: Run
    actions: int | None = None

    def series(self, word: str, least: int = 0) -> Series | None:
        """The quantity of that name; None where it has fewer points."""
        found = self.run.series.get(word)
        return found if found is not None and len(found.values) >= least else None

    @cached_property
    def learns(self) -> bool | None:
        """Whether the return clearly rose; None where it is not logged."""
        series = self.run.series.get("return")
        if series is None or len(finite(series.values)) < POINTS:
            return None
        start, end = finite(series.part(0, 0.2)), finite(series.part(0.8, 1))
        if not start or not end:
            return None
        return fmean(end) > fmean(start) + 2 * pstdev(start) + 1e-6 + 0.02 * abs(fmean(start))

    @cached_property
    def largest_return(self) -> float:
        """By size, whatever its sign."""
        paid = self.run.series.get("return")
        return max((abs(value) for value in finite(paid.values)), default=0.0) if paid is not None else 0.0

    def largest_entropy(self, series: Series) -> float:
        """The logarithm of the number of actions; unknown, that of a policy that has just begun."""
        if self.actions is not None:
            return math.log(self.actions)
        return max(finite(series.part(0, 0.1)) or [0.0])

    @cached_property
    def first_nonfinite(self) -> tuple[str, Series, int] | None:
        """The loss, entropy or KL that stops being a number, and where."""
        for name in ("policy_loss", "value_loss", "entropy", "kl"):
            series = self.run.series.get(name)
            if series is not None and not all(map(math.isfinite, series.values)):
                return (
                    name,
                    series,
                    next(place for place, value in enumerate(series.values) if not math.isfinite(value)),
                )
        return None

    def told(
        self, message: str, fix: str, began: float, telling: Telling = "likely", **numbers: float
    ) -> Evidence:
        """Evidence with the step at which it began."""
        rounded = {
            key: round(value, 4) if math.isfinite(value) else str(value) for key, value in numbers.items()
        }
        return Evidence(
            f"{message} Began at step {began:.0f}." if began else message,
            telling,
            numbers={"run": self.run.name, "began": began, **rounded},
            fix=fix,
        )


def first_place(values: Sequence[float], beyond: float) -> int:
    """Where they are first that far from zero."""
    return next(place for place, value in enumerate(values) if abs(value) > beyond)


NOT_A_NUMBER = (
    "Look for advantages normalised over one sample, a logarithm of 0, an outlier in the observation."
)


def no_number(agent: LoggedAgent, of_values: bool) -> Evidence | None:
    """The loss that stops being a number, where it is the critic's, or else where it is not."""
    if agent.first_nonfinite is None or (agent.first_nonfinite[0] == "value_loss") is not of_values:
        return None
    _, series, place = agent.first_nonfinite
    message = f"{series.key} is {series.values[place]}: from here on no update means anything."
    return agent.told(message, NOT_A_NUMBER, series.steps[place], "proven")
