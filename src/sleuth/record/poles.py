"""The first non-finite value of a run, where one operation made it of ordinary numbers: a pole was met."""

from typing import TYPE_CHECKING

from sleuth.record import curves

if TYPE_CHECKING:
    from sleuth.record.entries import NonFinite, Record

DIVISIONS = frozenset("div true_divide reciprocal".split())
LOGARITHMS = frozenset("log log2 log10 log1p xlogy".split())
ROOTS = frozenset("sqrt rsqrt pow".split())
EXPONENTIALS = frozenset("exp exp2 expm1 sinh cosh".split())
BEFORE = 20  # losses that tell whether the run had gone wrong before
GROWN = 5.0  # a loss this many times larger than shortly before: it was on its way out already
ORDINARY = 1e6  # sizes beyond it come from a run that diverges


def met(record: "Record", operations: frozenset[str]) -> "NonFinite | None":
    """The operation that made it, of these, in the forward pass of a run that was in order until then."""
    from sleuth.record.entries import NonFinite

    seen = next(iter(record.of(NonFinite)), None)
    if seen is None or not seen.replayed or seen.backward or seen.operation not in operations:
        return None
    sizes = [abs(bound) for value in seen.inputs for bound in (value.minimum, value.maximum) if bound]
    ordinary = max(sizes, default=0.0) < ORDINARY and not any(value.nonfinite for value in seen.inputs)
    return seen if ordinary and growth(record, seen.n) <= GROWN else None


def growth(record: "Record", n: int) -> float:
    """How many times larger the loss was just before a step than shortly before that; 1: little is known."""
    before = curves.finite(step.loss for step in record.steps if step.n < n)[-BEFORE:]
    if len(before) < 3:
        return 1.0
    return abs(before[-1]) / max(abs(curves.median(before[:5])), 1e-30)
