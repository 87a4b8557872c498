"""An actor that ran to an edge of its actions too early and cannot come back: bad luck, no bug."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sleuth.rl.judge import MISS, OWN_POLICY
from sleuth.rl.reading import Reading
from sleuth.rl.tables import Table
from sleuth.rl.truth import policy_values

if TYPE_CHECKING:
    from sleuth.rl.ladder import Rung

EDGE = 0.005  # share of the interval; a tanh lets less than a fiftieth of a gradient through there
COUPLING = "action-observation"  # who passes it acts by what it sees, and moves towards what pays
SAYS = (
    "stuck at an edge of its actions, where no gradient reaches an actor; its values are right for what it "
    "does, so nothing else is known to be wrong"
)


def stuck(rung: "Rung", done: Mapping[str, "Rung"]) -> bool:
    """A fail that shows no mistake.

    Early on, a critic that does not tell states apart yet pushes the actor the same way everywhere; a
    squashed actor that got too far keeps its place for good, and one without noise never tries anything else.
    What remains to be judged is the critic, and whether the actor can follow it: that was seen elsewhere.
    """
    shown = done.get(COUPLING)
    if rung.result != "failed" or shown is None or shown.result != "passed":
        return False
    readings = [check.reading for check in rung.checks]
    return bool(readings) and _pinned(rung.table, readings) and _knows_itself(rung, readings[-1])


def _pinned(table: Table, readings: Sequence[Reading]) -> bool:
    """In every state where it is wrong it has been at the same edge since the first look."""
    wrong = [
        (state, 1.0 - best)
        for state, best in (table.best or {}).items()
        if not _right(readings[-1].second[state], best)
    ]
    return bool(wrong) and all(
        reading.ranged and _near(reading.second[state], edge) for reading in readings for state, edge in wrong
    )


def _right(second: float | None, best: int) -> bool:
    return second is None or abs(second - best) <= MISS


def _near(second: float | None, edge: float) -> bool:
    return second is not None and abs(second - edge) <= EDGE


def _knows_itself(rung: "Rung", reading: Reading) -> bool:
    """On average over the states: a critic of many steps stays noisy in each."""
    chances = [chance for chance in reading.second if chance is not None]
    if reading.values is None or len(chances) < rung.table.states:
        return False
    truth = policy_values(rung.table, rung.gamma, [(1.0 - chance, chance) for chance in chances])
    off = [abs(seen - right) for seen, right in zip(reading.values, truth, strict=True)]
    return sum(off) / len(off) <= OWN_POLICY
