"""Asks an unchanged script why one of its metrics stands still, at a backward call."""

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from sleuth.lab.control import Control, Limit
from sleuth.lab.job import Job
from sleuth.lab.run import is_users, run_script

if TYPE_CHECKING:
    from torch import Tensor

    from sleuth.stuck_metric.answers import Answers
    from sleuth.stuck_metric.case import Case
    from sleuth.stuck_metric.terms import Terms
    from sleuth.stuck_metric.twin import Twin

LOOKS = (0, 3, 10, 30, 100, 300)  # optimizer steps before which to look; the last look counts
FORWARDS = 15  # that the checks of one look cost at most
WAITS = 0.1  # of the time limit that they may take
SAME_TWICE = 1e-3  # relative: a metric further off from itself does not answer to the parameters alone


@dataclass(eq=False)
class Sight:
    """What the looks have shown so far. `values` is the metric before each step, for the counterfactual."""

    metric: str
    without: tuple[str, ...] = ()
    patience: float = 6.0  # seconds for the checks of one look
    last_look: int = 0
    answers: "Answers | None" = None
    step: int = 0
    values: dict[int, float] = field(default_factory=dict)
    switches: list[str] = field(default_factory=list)
    candidates: set[str] = field(default_factory=set)
    trouble: str = ""
    seen: Any = None  # the metric at the call before: the same tensor again is an old one
    parameters: dict[str, Any] = field(default_factory=dict)
    twin: "Twin | None" = None
    twin_made: float = 0.0
    no_twin: str = "there was no optimizer step before this look"

    def to_dict(self) -> dict[str, Any]:
        return {
            "answers": None if self.answers is None else asdict(self.answers),
            "step": self.step,
            "values": {str(step): value for step, value in self.values.items()},
            "switches": self.switches,
            "candidates": sorted(self.candidates),
            "trouble": self.trouble,
        }


def look(job: Job) -> list[Mapping[str, Any]]:
    """Run the script, look at its metric before some of its steps, and hand back the last answer.

    With `job.without` the terms named are cut off at every backward, and nothing is asked.
    """
    from sleuth.lab.perform import Enough
    from sleuth.lab.worlds.doors import World

    control = Control(Limit(job.steps))
    last = max(look for look in LOOKS if look <= (job.steps or 0))
    sight = Sight(job.metric, job.without, job.time_limit * WAITS, last)
    world = World(control)

    def at_backward(loss: "Tensor") -> "Tensor":
        if loss.grad_fn is not None and _at_backward(sight, loss, control.steps, sys._getframe(2)):
            raise Enough
        return loss

    def stepped(_: Any) -> None:
        control.stepped()
        if control.steps in LOOKS and not job.without:
            _make_twin(sight)

    with world.open():
        world.backward(at_backward)
        world.after_step(stepped)
        try:
            run_script(Path(job.script), job.arguments, control, job.module)
        except (Enough, SystemExit):  # what was seen until now is an answer
            if not sight.values and not sight.candidates:
                sight.trouble = f"no backward call was seen within {job.time_limit:.0f} s; see --budget"
        finally:
            _end_twin(sight)
    return [sight.to_dict()]


def _at_backward(sight: Sight, loss: "Tensor", step: int, frame: FrameType | None) -> bool:
    """What is done at one backward call; true when everything has been seen."""
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return False
    names = {**frame.f_globals, **frame.f_locals}
    metric = _value_of(sight.metric, names)
    if not _has_graph(metric) or metric is sight.seen:
        _say_what_is_there(sight, names, loss, metric)
        return False
    sight.seen = metric
    if sight.twin is not None and sight.twin.answering:
        sight.twin.tell(metric)
    sight.values.setdefault(step, float(metric.detach().double().mean()))
    if sight.without:
        _switch_off(sight, loss, metric, names)
    elif step in LOOKS:
        _look(sight, loss, metric, step, names)
        _end_twin(sight)
    return step >= sight.last_look


def _say_what_is_there(sight: Sight, names: Mapping[str, Any], loss: Any, metric: Any) -> None:
    seen = [(name, value) for name, value in names.items() if _has_graph(value)]
    sight.candidates |= {name for name, value in (*seen, *_scalars(names).items()) if value is not loss}
    if metric is not None and metric is not sight.seen:
        sight.trouble = f"`{sight.metric}` is a {type(metric).__name__} without a gradient graph at backward"


def _look(sight: Sight, loss: "Tensor", metric: "Tensor", step: int, names: Mapping[str, Any]) -> None:
    from sleuth.errors import SleuthError
    from sleuth.stuck_metric.asking import examined
    from sleuth.stuck_metric.case import read_parameters, restored
    from sleuth.stuck_metric.terms import take_apart

    try:
        named = read_parameters(_parameters(names))
        parts = take_apart(loss, metric, _scalars(names))
        with restored(named):
            answers = examined(_case(sight, parts, metric, named), _optimizer(names))
    except (SleuthError, RuntimeError) as error:  # torch's, of a graph that cannot be gone through twice
        sight.trouble = str(error).partition("\n")[0].rstrip(".")
        return
    finally:
        sight.parameters = _parameters(names)
    if answers.care.connected or sight.step != step or sight.answers is None:  # of two losses, the metric's
        sight.answers, sight.step, sight.trouble = answers, step, ""
        sight.switches = list(parts.switches) if parts.rivals else []


def _case(sight: Sight, parts: "Terms", metric: "Tensor", named: "dict[str, Tensor]") -> "Case":
    from sleuth.stuck_metric.case import Case

    reason = _unusable(sight, metric, named)
    twin = sight.twin
    again = None if reason or twin is None else lambda: twin.metric(named)
    return Case(metric, parts.loss, None, named, parts.own, parts.rivals, again, reason)


def _unusable(sight: Sight, metric: "Tensor", named: "dict[str, Tensor]") -> str:
    """Why the twin cannot compute this metric once more; empty when it can, and was seen to."""
    from sleuth.stuck_metric.twin import Silent

    if sight.twin is None:
        return sight.no_twin
    if [id(tensor) for tensor in sight.twin.parameters.values()] != [id(one) for one in named.values()]:
        return "the script has made other parameters since its last step"
    took = time.monotonic() - sight.twin_made
    if took * FORWARDS > sight.patience:
        return f"the metric takes {took:.1f} s to compute, and would be needed {FORWARDS} times"
    try:
        again = sight.twin.metric(named)
    except Silent:
        return "a copy of the script gave no metric"
    here = metric.detach().cpu()
    if again.shape != here.shape or float((again - here).norm()) > SAME_TWICE * float(here.norm()):
        return "a copy of the script gave another metric with the same parameters"
    return ""


def _make_twin(sight: Sight) -> None:
    from sleuth.stuck_metric.twin import Twin, hindrance

    _end_twin(sight)
    sight.no_twin = hindrance() if sight.parameters else "no parameters were visible before"
    if not sight.no_twin:
        sight.twin_made = time.monotonic()
        sight.twin = Twin(sight.parameters)


def _end_twin(sight: Sight) -> None:
    if sight.twin is not None and not sight.twin.answering:
        sight.twin.close()
        sight.twin = None


def _switch_off(sight: Sight, loss: "Tensor", metric: "Tensor", names: Mapping[str, Any]) -> None:
    from sleuth.stuck_metric.terms import take_apart

    parts = take_apart(loss, metric, _scalars(names))
    for name in sight.without:
        if parts.switch_off(name) and name not in sight.switches:
            sight.switches.append(name)


def _value_of(name: str, names: Mapping[str, Any]) -> Any:
    """`metric`, `self.metric`, or `losses.metric` of a dict."""
    first, *rest = name.split(".")
    value = names.get(first)
    for part in rest:
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
    return value


def _has_graph(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.grad_fn is not None


def _scalars(names: Mapping[str, Any]) -> dict[str, Any]:
    """The single numbers with a graph in sight, also in dicts and in `self`, each under one name."""
    found: dict[int, tuple[str, Any]] = {}
    for name, value in _objects(names):
        inside = value.items() if isinstance(value, Mapping) and name != "__builtins__" else ()
        for key, one in ((name, value), *((f"{name}.{key}", one) for key, one in list(inside))):
            if _has_graph(one) and one.numel() == 1:
                found.setdefault(id(one), (key, one))
    return dict(found.values())


def _parameters(names: Mapping[str, Any]) -> dict[str, Any]:
    """The trainable tensors of the models and optimizers in sight, by the best name there is."""
    import torch

    found: dict[int, tuple[str, Any]] = {}
    for name, value in _objects(names):
        if isinstance(value, torch.nn.Module):
            for inner, tensor in value.named_parameters():
                found.setdefault(id(tensor), (f"{name}.{inner}", tensor))
    for name, value in _objects(names):
        if isinstance(value, torch.optim.Optimizer):
            held = [tensor for group in value.param_groups for tensor in group["params"]]
            for index, tensor in enumerate(held):
                found.setdefault(id(tensor), (f"{name}[{index}]", tensor))
    return {name: tensor for name, tensor in found.values() if tensor.requires_grad}


def _optimizer(names: Mapping[str, Any]) -> Any:
    """The one optimizer in sight, for its momentum; of several, none can be told to be the metric's."""
    import torch

    seen = {id(value): value for _, value in _objects(names) if isinstance(value, torch.optim.Optimizer)}
    return next(iter(seen.values())) if len(seen) == 1 else None


def _objects(names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is in sight, and the attributes of `self`."""
    yield from names.items()
    holder = names.get("self")
    if holder is not None and hasattr(holder, "__dict__"):
        yield from ((f"self.{name}", value) for name, value in vars(holder).items())
