"""Gradient clipping stands where it cannot work, or acts on gradients that are still scaled.

## What happens
`clip_grad_norm_` edits whatever is in `.grad` at that moment and returns the norm it found. Before
`backward()` it finds nothing (`zero_grad()` left None behind), returns 0 and is content. After
`step()` it trims a gradient that has been used already. Either way you believe yourself protected,
and the next spike goes through.

With mixed precision the error has the opposite sign. A `GradScaler` starts at 65536; clip to norm
1 before unscaling and the true gradient ends at norm 1/65536 = 1.5e-5. SGD then makes practically
no progress. Adam divides the size away and hides it, though every gradient it sees has been cut to
one length, which is not what you asked for. The effect also changes whenever the scale does.

Two variants: clipping after each micro-batch of an accumulation, which clips the growing sum again
and again; and clipping the parameters of another model than the one being stepped.

```python
scaler.scale(loss).backward()
clip_grad_norm_(model.parameters(), 1.0)     # norm of scaled gradients: about 65536 times too big
scaler.step(optimizer)
```

## How to tell
- **lint**: in the cycle of the loop, clip is not between `backward()` and `step()`; or a
  `GradScaler` is in use and no `unscale_` comes before the clip.
- **watch**: the returned norm is 0 step after step; or the gradient that enters `step()` is longer
  than `max_norm`; or the norm is tens of thousands and becomes ordinary when divided by the scale.
- **experiment**: corrected from outside, gradients are clipped after backward and before the step;
  spikes no longer reach the weights.
- **refuted by**: the norm of `.grad` on entry to `optimizer.step()` is at most `max_norm`, and the
  norm before clipping is that of the unscaled loss.

## How to fix
```python
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
```
Log `norm`. Without a scaler (float32, bfloat16) drop the scaler lines and keep the order. With
accumulation clip once, just before the step. Clipping does not cure NaN: one NaN makes the norm
NaN and with it every gradient; use `error_if_nonfinite=True` to get an error.

## Often mistaken for
- `lr-too-low`: crippled SGD under a scaler looks like it, and the learning rate is fine.
- `clip-always-active`: well placed, and its bound is too tight.
- `exploding-gradients`: the cause behind the spikes that the misplaced clip let through.

## Sources
- pytorch-amp: "Gradient clipping"; unscale first, so that the threshold means what it says.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.event_order import Mark, first, last, line_of, share
from sleuth.record.questions import courses, where_event
from sleuth.source.edits import Edits, beside, moved_after, moved_before, statement_of
from sleuth.source.flow import ancestry, class_name, literal, root, spelling
from sleuth.source.interpreter.values import Call, External, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue
from sleuth.source.topics.cadence import Turn, between, earlier, exclusive, implied, opaque, turn_of

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

LOOKS_LIKE = {"falls, then explodes": "even"}
INVITED_BY = {"clip_grad": 4.0, "autocast|GradScaler|\\.half\\(|bfloat16": 3.0}
NEEDS = "clip"
PREDICTS = {"lr×0.1": "even"}


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for clip in (*program.training.of("clip"), *_clamped_by_hand(program)):
        turn = turn_of(program, clip)
        if turn is None or _only_measures(clip):
            continue
        before, after = _neighbours(turn, clip)
        if before is not None and before.kind == "backward":
            yield from _still_scaled(program, before, clip)
        elif after is not None and after.kind == "step":
            continue
        elif before is not None and after is not None and before.call.order > clip.call.order:
            # Around the turn: the last event before the clip is the step of the turn before.
            yield from _before_backward(program, turn, clip, after)
        elif (
            before is None
            and after is not None
            and any(step.call.order > after.call.order for step in turn.of("step"))
        ):
            yield from _before_backward(program, turn, clip, after)
        elif before is not None and before.kind == "step" and implied(before.call, clip.call):
            if turn.of("backward") and not opaque(between(program, before.call, clip.call), clip.about):
                yield clue(
                    "proven",
                    clip.call,
                    f"The gradients are clipped after the step on line {before.line} has used them: the "
                    "clipping has no effect on training.",
                    fix="Clip between `backward()` and the step.",
                    edits=_clipped_between(clip, before, first=True),
                )


def _before_backward(program: Program, turn: Turn, clip: Event, backward: Event) -> Iterator[Evidence]:
    if not opaque(earlier(program, turn, clip.call), clip.about, backward.about):
        yield clue(
            "proven",
            clip.call,
            f"The gradients are clipped before `backward()` on line {backward.line} computes them: the "
            "gradients that the step applies are never clipped.",
            fix="Clip between `backward()` and the step.",
            edits=_clipped_between(clip, backward, first=False),
        )


def _clipped_between(clip: Event, event: Event, first: bool) -> Edits:
    """The clip moved before the step, or behind `backward()`."""
    source = clip.call.context.source
    statement = statement_of(clip.call.node, source)
    other = beside(event.call.node, statement, source) if event.call.context.source is source else None
    return (moved_before if first else moved_after)(statement, other, source, safe=True)


def _neighbours(turn: Turn, clip: Event) -> tuple[Event | None, Event | None]:
    """The last backward or step before a clip and the next one after it; in a loop the turn is a circle."""
    circle = [event for event in turn.of("backward", "step") if not exclusive(event.call, clip.call)]
    before = [event for event in circle if event.call.order < clip.call.order]
    after = [event for event in circle if event.call.order > clip.call.order]
    if turn.loop is not None:
        before, after = after + before, after + before
    return (before[-1] if before else None, after[0] if after else None)


def _clamped_by_hand(program: Program) -> Iterator[Event]:
    """`p.grad.clamp_(-1, 1)`, `p.grad.data.clamp_(...)`."""
    for call in program.calls(".clamp_", ".clip_"):
        below: Value | None = call.receiver
        if isinstance(below, Call) and below.op == "@data":
            below = below.receiver
        if isinstance(below, Call) and below.op == "@grad":
            yield Event("clip", call, below.receiver)


def _only_measures(clip: Event) -> bool:
    """`clip_grad_norm_(parameters, inf)` is a way to ask for the norm."""
    bound = root(clip.call.argument(1, "max_norm"))
    if isinstance(bound, External):
        return bound.name.endswith(".inf")
    if isinstance(bound, Call):
        return bound.op == "builtins.float" and str(literal(bound.argument(0, "x"))).lower().startswith("inf")
    return literal(bound) == float("inf")


def _still_scaled(program: Program, backward: Event, clip: Event) -> Iterator[Evidence]:
    """A `GradScaler` multiplied the loss and nobody divided the gradients again before the clip."""
    scale = _scaling(backward)
    if scale is None or not implied(backward.call, clip.call):
        return
    since = between(program, backward.call, clip.call)
    if any(call.op in (".unscale_", ".unscale") for call in since) or opaque(since, scale.receiver):
        return
    yield clue(
        "proven",
        clip.call,
        f"The gradients are still multiplied by the loss scale (`{spelling(scale)}.scale`, line "
        f"{backward.line}): they are clipped to almost nothing once the scaler divides.",
        fix=f"Call `{spelling(scale)}.unscale_(optimizer)` before clipping.",
    )


def _scaling(backward: Event) -> Call | None:
    for value in ancestry(backward.call.receiver, 12):
        if isinstance(value, Call) and value.op == ".scale":
            known = class_name(value.receiver)
            if "GradScaler" in known or "scaler" in spelling(value).lower():
                return value
    return None


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.clipped_before_step(world)


MOST = 0.9
TOLERANCE = 1.01  # clipping leaves the norm at the bound, up to rounding


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record):
        where = where_event(course.steps[-1], line_of(record, course, "clip"))
        # Weights that are moved by hand: nothing tells where a step ends, so clipping counts to the next one.
        early = share(record, course, _clipped_before_backward) if course.id else 0.0
        longer = [
            step
            for step in course.steps[1:]
            if step.clip
            and step.grad_norm_at_step is not None
            and step.grad_norm_at_step > TOLERANCE * step.clip
        ]
        if early > MOST:
            seen = max((step.grad_norm_at_step or 0.0 for step in longer), default=0.0)
            yield Evidence(
                "Gradients are clipped before backward computes them"
                + (
                    f": at the step their norm is up to {seen:.3g}, above the bound of {longer[0].clip:g}"
                    if longer
                    else ""
                )
                + ". The clipping has no effect.",
                telling="proven",
                where=where,
                numbers={"share": early, "norm": seen},
                fix="Clip between `backward()` and `step()`.",
            )
        elif share(record, course, _clipped_scaled) > MOST and any(
            (step.scale or 1) > 1 for step in course.steps
        ):
            yield Evidence(
                "Gradients are clipped while still multiplied by a loss scale of "
                f"{course.steps[-1].scale or 0:g}: the bound is too small by that factor.",
                telling="proven",
                where=where,
                numbers={"scale": course.steps[-1].scale or 0.0},
                fix="Call `scaler.unscale_(optimizer)` before clipping.",
            )


def _clipped_before_backward(found: tuple[Mark, ...]) -> bool:
    return 0 <= last(found, "clip") < first(found, "backward")


def _clipped_scaled(found: tuple[Mark, ...]) -> bool:
    clip = last(found, "clip")
    return clip >= 0 and not 0 <= first(found, "unscale") < clip
