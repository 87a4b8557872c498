"""What is examined: a model, a batch and a way to the loss; the forms in which people write them."""

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from sleuth.errors import SleuthError
from sleuth.measure import batches
from sleuth.measure.not_examined import NotApplicable, OutOfTime

Step = Callable[[nn.Module, Any], Any]

PRIME_EXAMPLES, PRIME_LENGTH = 7, 13
MARGIN = 1.3  # one pass takes a little longer than another
FORWARD = 0.4  # of a pass forward and backward: the way back costs about twice the way there
_MODEL_NAMES = ("model", "net", "network", "module", "self")


@dataclass(frozen=True, eq=False)
class Subject:
    """The objects under examination; `step` runs model and loss and returns what the user's code returns."""

    model: nn.Module
    batch: Any
    step: Step
    optimizers: tuple[torch.optim.Optimizer, ...] = ()
    loader: Any = None
    val_loader: Any = None
    seed: int = 0
    budget: float = 30.0
    started: float = field(default_factory=time.monotonic)
    pass_seconds: float = 0.0  # one pass forward and backward, once that was measured

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """The optimizer that makes the step."""
        if not self.optimizers:
            raise NotApplicable("no optimizer given")
        return self.optimizers[0]

    def generator(self) -> torch.Generator:
        """A stream of its own: a user's data was often drawn from the very same small seed."""
        return torch.Generator().manual_seed(self.seed + 0x5EED_C0DE)

    @property
    def seconds_left(self) -> float:
        return self.budget - (time.monotonic() - self.started)

    def has_room_for(self, passes: float) -> bool:
        """Whether so many passes, forward and backward, would end within the budget."""
        return self.seconds_left > MARGIN * passes * self.pass_seconds

    def need_room_for(self, passes: float) -> None:
        if not self.has_room_for(passes):
            raise OutOfTime(
                f"the time budget of {self.budget:g} s was spent"
                if self.seconds_left <= 0
                else f"the time budget of {self.budget:g} s leaves no room for it"
            )

    @property
    def examples(self) -> int:
        return batches.size(self.batch)

    def parameters(self) -> dict[str, nn.Parameter]:
        """Trainable parameters by name, shared ones once."""
        return {name: p for name, p in self.model.named_parameters() if p.requires_grad}

    def smaller(self, length: int | None = None) -> "Subject":
        """The same with a prime number of examples, and of positions: sizes that no axis has by chance.

        A step with fixed sizes does not take them; then it stays as it is.
        """
        batch = self.batch
        if self.examples > PRIME_EXAMPLES:
            batch = batches.take(batch, torch.arange(PRIME_EXAMPLES))
        if length is not None and length > PRIME_LENGTH:
            batch = batches.cropped(batch, length, PRIME_LENGTH)
        try:
            with torch.no_grad():
                self.loss(batch)
        except Exception:  # whatever the model says: it was only an offer
            return self
        return replace(self, batch=batch)

    def wake_zeros(self) -> None:
        """Give weights that start at zero on purpose (a head, a residual branch) some small values.

        What depends on what is a question about the wiring; behind a zero every answer would be "nothing".
        """
        generator = self.generator()
        with torch.no_grad():
            for parameter in self.model.parameters():
                if parameter.dim() >= 2 and not bool(parameter.any()):
                    parameter.add_(0.02 * torch.randn(parameter.shape, generator=generator).to(parameter))

    def loss(self, batch: Any = None) -> Tensor:
        """The loss as a scalar tensor, on this batch or another."""
        return scalar(self.step(self.model, self.batch if batch is None else batch))


def scalar(result: Any) -> Tensor:
    """The loss in what a step returned: a tensor, `.loss`, `["loss"]` or the first of a tuple."""
    if isinstance(result, Mapping) and "loss" in result:
        result = result["loss"]
    elif not isinstance(result, Tensor) and hasattr(result, "loss"):
        result = result.loss
    elif isinstance(result, (tuple, list)) and result:
        result = result[0]
    if not isinstance(result, Tensor):
        raise SleuthError(f"The loss is a {type(result).__name__}; expected a tensor with one number.")
    if result.numel() != 1:
        raise SleuthError(
            f"The loss has shape {tuple(result.shape)}; expected one number: take its mean before returning."
        )
    return result.reshape(())


def step_of(model: nn.Module, loss_fn: Any, step: Step | None) -> Step:
    """One way of calling for all forms: a step, a loss on output and target, or the model's own."""
    if step is not None:
        return step
    if loss_fn is None:
        return _own_step(model)
    if not callable(loss_fn):
        raise SleuthError(f"loss_fn is a {type(loss_fn).__name__}; expected loss_fn(output, target).")
    if not isinstance(loss_fn, nn.Module) and _takes_model(loss_fn):
        return loss_fn  # type: ignore[no-any-return]

    def run(model: nn.Module, batch: Any) -> Any:
        inputs, target = batches.parted(batch)
        output = call(model, inputs)
        return loss_fn(output, target) if target is not None else loss_fn(output)

    return run


def call(model: nn.Module, inputs: Any) -> Any:
    """Call a model the way its inputs are packed: a dict by name, a tuple by position."""
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, tuple) else model(inputs)


def _own_step(model: nn.Module) -> Step:
    training_step: Any = getattr(model, "training_step", None)
    if callable(training_step):
        indexed = len(inspect.signature(training_step).parameters) > 1
        return lambda _, batch: training_step(batch, 0) if indexed else training_step(batch)
    return lambda model, batch: model(**batch) if isinstance(batch, Mapping) else model(batch)


def _takes_model(function: Callable[..., Any]) -> bool:
    try:
        first, *rest = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    note = first.annotation
    return bool(rest) and (
        first.name in _MODEL_NAMES[:4] or (isinstance(note, type) and issubclass(note, nn.Module))
    )


def listed(optimizer: Any) -> tuple[torch.optim.Optimizer, ...]:
    if optimizer is None:
        return ()
    found = tuple(optimizer) if isinstance(optimizer, Sequence) else (optimizer,)
    for item in found:
        if not hasattr(item, "param_groups"):
            raise SleuthError(f"optimizer is a {type(item).__name__}; expected a torch optimizer.")
    return found


def checked(subject: Subject) -> None:
    """Mistakes in the request that no measurement survives, each in one sentence."""
    batches.checked(subject.batch)
    devices = {str(p.device) for p in subject.model.parameters()}
    held = {str(tensor.device) for _, tensor in batches.leaves(subject.batch)}
    if len(devices) == 1 and len(held) == 1 and devices != held:
        raise SleuthError(
            f"The model is on {devices.pop()} and the batch on {held.pop()}; move one: batch.to(device)."
        )
    for name, loader in (("loader", subject.loader), ("val_loader", subject.val_loader)):
        if _length(loader) == 0:
            raise SleuthError(f"The {name} ({type(loader).__name__}) gives no batch: its length is 0.")


def _length(loader: Any) -> int | None:
    """How many batches; None where that is not known, as for a loader over a stream."""
    try:
        return len(loader)
    except TypeError:
        return None


def shake(weights: Mapping[str, Tensor], generator: torch.Generator, size: float) -> None:
    """Add noise to each weight, so many times as large as its spread; those that rest at zero move, too."""
    for weight in weights.values():
        spread = max(float(weight.std(unbiased=False)) if weight.numel() > 1 else 0.0, 0.1)
        weight.add_(size * spread * torch.randn(weight.shape, generator=generator).to(weight))
