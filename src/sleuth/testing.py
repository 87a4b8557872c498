"""Assertions for your own test suite; each failure says what was seen, why it matters and what to try."""

import math
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.needs import need

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench

__all__ = [
    "assert_batch_independent",
    "assert_causal",
    "assert_deterministic_eval",
    "assert_gradients_flow",
    "assert_init_loss",
    "assert_no_leak",
    "assert_overfits",
    "assert_targets_matter",
]


MOST_STEPS = 3000  # of a batch that is learned by heart; a curve at rest ends it much sooner


def assert_overfits(
    model: Any, batch: Any, loss_fn: Any = None, *, to: float = 0.1, seconds: float = 20.0
) -> None:
    """The model learns one batch by heart: the loss falls below `to` times its start."""
    memory = _asked(_bench(model, batch, loss_fn, seconds / 0.4, MOST_STEPS), "memory")
    if memory.start > 0 and memory.best <= to * memory.start:
        return
    raise AssertionError(
        f"The model could not memorise one batch: the loss went from {memory.start:.4g} to "
        f"{memory.end:.4g} in {memory.steps} steps ({memory.reading}). A model that cannot do this cannot "
        f"learn the data set; {memory.explanation}. `sleuth.probe(model, batch, loss_fn)` looks for the "
        "cause."
    )


def assert_batch_independent(model: Any, batch: Any, loss_fn: Any = None) -> None:
    """In eval mode no example's output depends on the other examples."""
    seen = _asked(_bench(model, batch, loss_fn), "mixing")
    if seen.share < 1e-3:
        return
    raise AssertionError(
        f"{seen.share:.0%} of the influence on one example's output comes from other examples of the "
        "batch. Usually a view or reshape swaps axes where transpose or permute was meant, a recurrent "
        "layer lacks batch_first=True, or a softmax or mean runs over dim 0."
    )


def assert_causal(model: Any, batch: Any, loss_fn: Any = None) -> None:
    """Outputs up to a position do not change with what comes after it; the targets are the inputs shifted."""
    seen = _asked(_bench(model, batch, loss_fn), "causality")
    if seen.change <= 1e-4:
        return
    raise AssertionError(
        f"Replacing the second half of the sequence changed earlier outputs by {seen.change:.1%}: the "
        "model sees its own future. Check the mask (is_causal, an unassigned masked_fill), padding of "
        "convolutions, bidirectional layers."
    )


def assert_gradients_flow(model: Any, batch: Any, loss_fn: Any = None) -> None:
    """Every trainable parameter gets a finite gradient that is not zero."""
    found = _asked(_bench(model, batch, loss_fn), "first").gradients
    waiting = [p.name for p in found.parameters if p.trainable and not p.gradient]
    broken = [p.name for p in found.parameters if p.trainable and not p.finite]
    if broken:
        raise AssertionError(f"The gradient of {_few(broken)} is not finite: one step makes the weights NaN.")
    if waiting:
        raise AssertionError(
            f"{len(waiting)} parameters get no gradient: {_few(waiting)}. Look for .detach(), .item() or "
            "torch.tensor(x) "
            "after them, for layers that forward does not call, and for units that are all dead or zero."
        )


def assert_init_loss(
    model: Any, batch: Any, loss_fn: Any = None, *, expected: float | None = None, within: float = 0.5
) -> None:
    """A fresh model's loss is near what guessing costs; `expected` overrides what is known about the loss."""
    first = _asked(_bench(model, batch, loss_fn), "first")
    use = next((use for use in first.losses if use.chance is not None), None)
    wanted = expected if expected is not None else None if use is None else use.chance
    if wanted is None:
        raise SleuthError("The chance level of this loss is not known; pass expected=...")
    value = first.loss if expected is not None or use is None else use.mean_value
    if math.isfinite(value) and abs(value - wanted) <= within * wanted:
        return
    side = (
        "above: the last layer is too large, or the loss is the wrong one"
        if value > wanted
        else "below: a leak?"
    )
    raise AssertionError(f"The loss starts at {value:.4g} where guessing gives {wanted:.4g}; it is {side}.")


def assert_targets_matter(model: Any, batch: Any, loss_fn: Any = None) -> None:
    """Handing the targets to other examples changes the loss."""
    effect = _asked(_bench(model, batch, loss_fn), "wiring").target_effect
    if effect == 0.0:
        raise AssertionError(
            "Shuffling the targets between examples changes nothing: the loss does not depend on the targets."
        )


def assert_deterministic_eval(model: Any, batch: Any, loss_fn: Any = None) -> None:
    """Two passes in eval mode agree bit for bit."""
    seen = _asked(_bench(model, batch, loss_fn), "modes")
    if seen.repeatable:
        return
    cause = f" `{seen.awake[0].operation}` at {seen.awake[0].where} is still dropping." if seen.awake else ""
    raise AssertionError(f"Two eval passes over one batch differ by up to {seen.difference:.2g}.{cause}")


def assert_no_leak(pipeline: Any, X: Any, y: Any = None, cutoff: int | None = None) -> None:  # noqa: N803
    """Nothing before the cutoff learns from what stands at or after it."""
    from sleuth.leaking import leak

    found = leak(pipeline, X, y, cutoff)
    if found:
        raise AssertionError(f"{found} Fit on the part before the cutoff, then only transform the rest.")


def _bench(model: Any, batch: Any, loss_fn: Any, budget: float = 30.0, steps: int = 150) -> "Workbench":
    need("torch", "torch", "`sleuth.testing`")
    from sleuth.measure.workbench import Workbench

    if loss_fn is None and hasattr(batch, "new_zeros"):  # inputs alone: what comes out is all that is asked
        return Workbench(model, batch, step=_any_number, budget=budget)
    return Workbench(model, batch, loss_fn, budget=budget, memorise_steps=steps)


def _any_number(model: Any, batch: Any) -> Any:
    """A loss for questions that need none."""
    from sleuth.measure.tape import tensors_in

    given = model(batch)
    if hasattr(given, "loss") and given.loss is not None:
        return given.loss
    return sum(part.float().mean() for part in tensors_in(given) if part.is_floating_point())


def _asked(bench: "Workbench", name: str) -> Any:
    """The answer; what cannot be asked is a mistake of the test, not a passed test."""
    from sleuth.measure.workbench import NotApplicable

    try:
        return getattr(bench, name)
    except NotApplicable as reason:
        raise SleuthError(f"This cannot be asserted here: {str(reason).rstrip('.')}.") from None


def _few(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:4])
    return shown + (f" and {len(names) - 4} more" if len(names) > 4 else "")
