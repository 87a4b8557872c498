"""What detectors ask of a record again and again: steps of one optimizer, ratios, places, chance level."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from sleuth.finding import Where
from sleuth.quick_dataclass import dataclass
from sleuth.record import curves
from sleuth.torch_losses import OF_YES_OR_NO, OVER_CLASSES, WANTS_LOGITS, cost_of_guessing

if TYPE_CHECKING:
    from sleuth.record.entries import (
        Batch,
        Evaluation,
        Holding,
        Line,
        Loader,
        LossCall,
        Model,
        Optimizer,
        Record,
        Step,
        Values,
    )

Something = TypeVar("Something", bound=Sized)
CLASS_LOSSES = OVER_CLASSES | OF_YES_OR_NO
LOGIT_LOSSES = WANTS_LOGITS | {"soft_margin_loss"}
SEVERAL = 5  # steps below which a run says nothing about itself


class NotRecorded(Exception):
    """The record lacks the lines that the question needs; the text says which."""


class Placed(Protocol):
    """Anything that stands on a line of the user's code."""

    @property
    def line(self) -> "Line": ...
    @property
    def path(self) -> str: ...


@dataclass(frozen=True)
class Course:
    """The steps of one optimizer, in order."""

    id: int
    steps: "tuple[Step, ...]"

    @cached_property
    def losses(self) -> list[float]:
        """Values handed to backward, non-finite ones included."""
        return [step.loss for step in self.steps if step.loss is not None]

    @cached_property
    def finite_losses(self) -> list[float]:
        return curves.finite(self.losses)

    @cached_property
    def ratios(self) -> list[float]:
        """Actual update over weight, where both were measured."""
        return [
            step.update_norm / step.weight_norm
            for step in self.steps
            if step.update_norm is not None and step.weight_norm
        ]

    @cached_property
    def gradients(self) -> list[float]:
        """Norms before clipping, non-finite ones included."""
        return [step.grad_norm for step in self.steps if step.grad_norm is not None]


def needed(items: Something, what: str) -> Something:
    """The same items, or the reason why a question has no answer."""
    if not items:
        raise NotRecorded(f"the record holds no {what}")
    return items


def courses(record: "Record", fewest: int = SEVERAL) -> list[Course]:
    """One for each optimizer with enough steps, the longest first."""
    needed(record.steps, "optimizer steps")
    by_optimizer: dict[int, list[Step]] = {}
    for step in record.steps:
        by_optimizer.setdefault(step.optimizer, []).append(step)
    found = [Course(number, tuple(steps)) for number, steps in by_optimizer.items() if len(steps) >= fewest]
    return sorted(found, key=lambda course: -len(course.steps))


def adversarial(record: "Record") -> bool:
    """Two optimizers take turns at losses of their own (GAN, actor and critic): the loss of one may rise
    because the other got better. Two that share one backward call pull at the same end."""
    turns = [optimizer for optimizer, _ in groupby(step.optimizer for step in record.steps)]
    if len(turns) <= max(4, 2 * len(set(turns))):
        return False
    called = backward_lines(record)
    return len(set().union(*called.values())) > 1 or all(called.values())


def one_backward_for_all(record: "Record") -> bool:
    """Several optimizers that step one after the other, on the gradients that are there by then."""
    called = backward_lines(record).values()
    return any(called) and not all(called)


def backward_lines(record: "Record") -> "dict[int, set[Line]]":
    """By optimizer, the lines that called `backward` since the last step, whosever that was."""
    lines: dict[int, set[Line]] = {}
    for step in record.steps[1:]:
        if step.pattern in record.patterns:
            events = record.patterns[step.pattern].events
            called = {line for name, _, line in events if name == "backward"}
            lines.setdefault(step.optimizer, set()).update(called)
    return lines


def at(thing: Placed, module: str | None = None) -> Where | None:
    if not thing.line and not module:
        return None
    return Where(path=thing.path or None, line=thing.line or None, module=module)


def where_loss(step: "Step") -> Where | None:
    return Where(path=step.loss_path or None, line=step.loss_line) if step.loss_line else None


def where_event(step: "Step", line: "Line") -> Where | None:
    """An event carries its line only; it stands in the file of the step more often than not."""
    return Where(path=step.path or step.loss_path or None, line=line) if line else None


LINE_SEARCHES = ("LBFGS",)  # a step is a whole search; where no point along the line is better, it stays


def optimizer_of(record: "Record", number: int) -> "Optimizer | None":
    from sleuth.record.entries import Optimizer

    return next((made for made in record.of(Optimizer) if made.id == number), None)


def where_optimizer(record: "Record", number: int) -> Where | None:
    made = optimizer_of(record, number)
    return at(made) if made else None


def holdings(record: "Record", optimizer: int) -> "list[Holding]":
    from sleuth.record.entries import Holding

    return [seen for seen in record.of(Holding) if seen.optimizer == optimizer]


def models_of(record: "Record", optimizer: int) -> "list[Model]":
    """The models whose parameters this optimizer holds; all of them where that was not seen."""
    from sleuth.record.entries import Model

    ids = {int(key) for seen in holdings(record, optimizer) for key, held in seen.of_models.items() if held}
    return [model for model in record.of(Model) if model.id in ids or not ids]


def layer_types(record: "Record") -> dict[str, str]:
    """Module name → type, over all models."""
    from sleuth.record.entries import Layers, Model

    names = {layer.name: layer.type for model in record.of(Model) for layer in model.layers}
    return names | {name: kind for seen in record.of(Layers) for name, kind in seen.types.items()}


def module_of(parameter: str) -> str:
    return parameter.rpartition(".")[0]


def where_module(record: "Record", name: str) -> Where:
    """Where a module was made, with its name."""
    from sleuth.record.entries import Model

    for model in record.of(Model):
        for layer in model.layers:
            if layer.name == name and layer.line:
                return Where(layer.path or model.path or None, layer.line, module=name)
    model_line = next((model for model in record.of(Model) if model.line), None)
    return (at(model_line, name) if model_line else None) or Where(module=name)


def loss_calls(record: "Record", phase: str = "train") -> "list[LossCall]":
    from sleuth.record.entries import LossCall

    return [call for call in record.of(LossCall) if call.phase == phase]


def by_line(calls: "Iterable[LossCall]") -> "dict[tuple[str, Line, str], list[LossCall]]":
    lines: dict[tuple[str, Line, str], list[LossCall]] = {}
    for call in calls:
        lines.setdefault((call.path, call.line, call.function), []).append(call)
    return lines


def batches(record: "Record", phase: str = "train") -> "list[Batch]":
    from sleuth.record.entries import Batch

    return [batch for batch in record.of(Batch) if batch.phase == phase]


def tensors(
    batches: "Iterable[Batch]", role: str, keep: "Callable[[Values], bool]" = lambda values: True
) -> "Iterator[tuple[Batch, Values]]":
    """Tensors of that role; a tensor of unknown role counts as input."""
    for batch in batches:
        for values in batch.values:
            if (values.role or "input") == role and keep(values):
                yield batch, values


def is_float(values: "Values") -> bool:
    return "float" in values.dtype


def loaders(record: "Record") -> "Mapping[int, Loader]":
    from sleuth.record.entries import Loader

    return {loader.id: loader for loader in record.of(Loader)}


def training_loader(record: "Record") -> "Loader | None":
    """The loader that feeds the training steps, if one does."""
    known = loaders(record)
    used = [batch.loader for batch in batches(record) if batch.loader in known]
    return known[max(set(used), key=used.count)] if used and used[0] is not None else None  # type: ignore[index]


def epoch_steps(record: "Record") -> int | None:
    """Optimizer steps in one pass over the data: from the loader, else from the order of the batches."""
    loader = training_loader(record)
    backwards = max(1, round(curves.median(step.backwards for step in record.steps))) if record.steps else 1
    if loader is not None and loader.examples and loader.batch_size:
        batches_in = loader.examples / loader.batch_size
        return max(1, (int(batches_in) if loader.drop_last else math.ceil(batches_in)) // backwards)
    return curves.period([step.batch for step in record.steps]) if _fingerprinted(record) else None


def _fingerprinted(record: "Record") -> bool:
    return bool(record.steps) and all(step.batch for step in record.steps)


def chance(call: "LossCall") -> float | None:
    """What guessing costs, for losses over classes that take the mean: ln K."""
    moved = (
        call.weighted and call.function in OF_YES_OR_NO
    )  # there the mean is over rows, whatever they weigh
    if moved or call.reduction != "mean" or call.ignored == 1:
        return None
    return cost_of_guessing(call.function, call.classes)


def learned(course: Course, share: float = 0.5) -> bool:
    """Whether the loss fell by that share: what looks odd in such a run did not stop it."""
    values = course.finite_losses
    return len(values) >= SEVERAL and curves.fallen(values) > share


def broke_at(record: "Record") -> int | None:
    """The step of the first non-finite loss or gradient."""
    return next(
        (
            step.n
            for step in record.steps
            if any(value is not None and not math.isfinite(value) for value in (step.loss, step.grad_norm))
        ),
        None,
    )


def raised(record: "Record", *texts: str) -> Where | None:
    """Where the run ended with an exception that says one of these, or None."""
    end = record.end
    if end is None or not any(text.lower() in end.message.lower() for text in texts):
        return None
    path, line, _ = end.frames[-1] if end.frames else (record.run.script, 0, "")
    return Where(path or None, line or None)


def loaded(record: "Record", until: int | None = None) -> bool:
    """A checkpoint or pretrained weights were put into a model, `until`: before so many steps were taken.

    The best weights of a run come back at its end: that says nothing of how it began.
    """
    from sleuth.record.entries import Load

    return any(load.matched for load in record.of(Load) if until is None or load.n <= until)


OVER_AND_OVER = 3  # loaders of one line from which their data sets are taken to be made anew as well


def evaluations(record: "Record") -> "dict[tuple[int, Line, int | None], list[Evaluation]]":
    """Passes of one model from one line over one loader, in order.

    A loader that is made anew for each pass, alike and on one line, counts as one; those that stand side by
    side from the start, made by one helper for validation and test, do not. Nor do two that serve different
    data sets, as one helper makes them for validation and, in the end, for the test.
    """
    from sleuth.record.entries import Evaluation, Loader

    helpers: dict[tuple[str, Line, int | None, int | None], list[Loader]] = {}
    for made in record.of(Loader):
        if made.line:
            helpers.setdefault((made.path, made.line, made.examples, made.batch_size), []).append(made)
    alike: dict[int, int] = {}
    for made_there in helpers.values():
        model = made_there[0]
        over_and_over = len(made_there) >= OVER_AND_OVER
        for made in made_there:
            others = model.data and made.data and model.data != made.data and not over_and_over
            alike[made.id] = model.id if made.n > model.n and not others else made.id
    groups: dict[tuple[int, Line, int | None], list[Evaluation]] = {}
    for seen in record.of(Evaluation):
        loader = seen.loader if seen.loader is None else alike.get(seen.loader, seen.loader)
        groups.setdefault((seen.model, seen.line, loader), []).append(seen)
    return groups


def in_each_step(passes: "Sequence[Evaluation]") -> bool:
    """A forward pass without gradients inside each training step: a teacher, a target, a policy that acts."""
    gaps = [after.n - before.n for before, after in pairwise(passes)]
    return len(gaps) >= 4 and curves.median(gaps) <= 1


def ended(record: "Record") -> bool:
    """The script came to its own end, so what was not reached by then was not reached."""
    return record.end is not None and record.end.status in ("finished", "exited") and not record.end.shortened


def thawed_later(record: "Record") -> bool:
    """Whether a parameter that was frozen when its model was first called moved in a later step."""
    from sleuth.record.entries import Layers, Model

    for model in record.of(Model):
        frozen = {parameter.name for parameter in model.parameters if not parameter.trainable}
        if any(
            change and name in frozen
            for seen in record.of(Layers)
            if seen.n >= model.n
            for name, change in seen.updates.items()
        ):
            return True
    return False
