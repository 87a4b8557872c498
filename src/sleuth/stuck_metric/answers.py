"""What was asked of a metric that stands still, and the row of the decision table the answers fall into."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sleuth.stuck_metric.forces import LOOK, Inertia, Rivals
from sleuth.stuck_metric.jacobian import MOVED, NO_SLOPE, Reach
from sleuth.stuck_metric.slope import Care
from sleuth.stuck_metric.without import Counterfactual

Row = Literal["saturated-or-disconnected", "structural-ceiling", "competing-or-inertia", "same-basin", "free"]

# Loss slope, metric slope, same value without the term → what it is.
TABLE: tuple[tuple[str, str, str, Row], ...] = (
    ("about zero", "any", "any", "saturated-or-disconnected"),
    ("there", "about zero", "any", "structural-ceiling"),
    ("there", "there", "no", "competing-or-inertia"),
    ("there", "there", "yes", "same-basin"),
)


@dataclass(frozen=True)
class Answers:
    """What was measured; None where a question could not be asked, or an earlier one decides.

    `unasked` says why there is no counterfactual.
    """

    care: Care
    reach: Reach
    rivals: Rivals
    inertia: Inertia | None
    counterfactual: Counterfactual | None
    unasked: str = ""

    @property
    def undecided(self) -> bool:
        """Whether the counterfactual, the dearest question, is still worth asking."""
        return self.care.cares and self.reach.moves

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Answers":
        """From what `asdict` made, as it comes out of another process."""
        memory = data["inertia"]
        return cls(
            Care(**data["care"]),
            Reach(**data["reach"]),
            Rivals(**data["rivals"]),
            None if memory is None else Inertia(**memory),
            None,
            data["unasked"],
        )

    @property
    def path_is_cut(self) -> bool:
        """No slope, and yet the metric moves when the parameters do: it is the path, not the reach."""
        reach = self.reach
        return reach.redrawn is not None and reach.redrawn > MOVED and reach.relative <= NO_SLOPE

    @property
    def row(self) -> Row:
        if not self.care.cares:
            return "saturated-or-disconnected"
        if not self.reach.moves:
            return "saturated-or-disconnected" if self.path_is_cut else "structural-ceiling"
        if self.counterfactual is not None and self.counterfactual.same:
            return "same-basin"
        held = self.rivals.conflict or self.rivals.ratio >= LOOK
        if held or (self.inertia is not None and self.inertia.holds) or self.counterfactual is not None:
            return "competing-or-inertia"
        return "free"

    @property
    def fought(self) -> bool:
        """The loss cares and the parameters can: whatever holds the metric pulls at it."""
        return self.care.cares and self.reach.moves

    @property
    def confirmed_by(self) -> tuple[str, ...]:
        """The stretches of training, without one term each, that showed who holds it."""
        proof = self.counterfactual
        freed = tuple(f"training without {name}" for name in proof.freed_by()) if proof is not None else ()
        same = self.row == "same-basin"
        return (*freed, f"training without {self.rivals.own} reaches the same value") if same else freed

    @property
    def in_training(self) -> str:
        """What these stretches came to, to be added to a sentence."""
        proof = self.counterfactual
        if proof is None:
            return ""
        if proof.same:
            reached = f"{proof.with_all:.4g} with the term and {proof.without_own:.4g} without it"
            return f"; training reaches {reached}"
        freed = proof.freed_by()
        if not freed:
            return ""
        return (
            f"; without {freed[0]} the metric goes to {proof.without[freed[0]]:.4g} instead of "
            f"{proof.with_all:.4g}"
        )
