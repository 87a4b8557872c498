"""The doors of torch through which a running script can be changed from outside.

A `World` is what a cause's `undo(world)` and the named worlds get. Every change is counted when it takes
hold: one that never did makes an experiment unavailable, which differs from one that showed nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from sleuth.doors import of_torch
from sleuth.doors.patches import Patches
from sleuth.lab.control import Control
from sleuth.measure.forward import is_loss_module
from sleuth.torch_losses import LOSSES, TorchLoss

# The losses to which something is given as a target.
WITH_TARGET = tuple(name for name, loss in LOSSES.items() if loss.target_at is not None)
# Keywords under which models take their targets.
TARGET_NAMES = frozenset("labels label target targets y".split())


@dataclass
class LossCall:
    """A call of a loss function, to be changed before it is made."""

    function: str
    input: Tensor
    target: Any
    keywords: dict[str, Any]


@dataclass(eq=False)
class World:
    """Changes to a run. Made before the script starts; `closed` puts everything back."""

    control: Control
    took_hold: Counter[str] = field(default_factory=Counter)
    patches: Patches = field(default_factory=Patches)
    inside: int = 0  # root calls of models that run now, counted by every door that stands around them
    name: str = "change"

    @contextmanager
    def open(self) -> Iterator["World"]:
        try:
            yield self
        finally:
            self.patches.restore()

    def hold(self) -> None:
        """Say that the change has changed something."""
        self.took_hold[self.name] += 1

    def holder(self) -> Callable[[], None]:
        """As `hold`, for code that runs when the world bears another name."""
        name = self.name
        return lambda: self.took_hold.update((name,))

    def replace(self, owner: Any, attribute: str, wrap: Callable[[Any], Any]) -> None:
        """Put `wrap(original)` in the place of an attribute."""
        self.patches.replace(owner, attribute, wrap)

    def losses(self, change: Callable[[LossCall], None], *functions: str) -> None:
        """Change the arguments of torch's loss functions (all, or those named)."""
        name = self.name

        def around(original: Any, function: str) -> Any:
            def call(*args: Any, **keywords: Any) -> Any:
                given = _given(function, args, keywords)
                if (loss_call := given.call()) is None:
                    return original(*args, **keywords)
                with self._as(name):
                    change(loss_call)
                return given.handed_to(original, loss_call)

            return call

        of_torch.losses(self.patches, around, functions or WITH_TARGET)

    def results(self, change: Callable[[str, Any, Tensor], Tensor], *functions: str) -> None:
        """Change what torch's loss functions return: change(function, input, result)."""
        name = self.name

        def around(original: Any, function: str) -> Any:
            def call(*args: Any, **keywords: Any) -> Any:
                result = original(*args, **keywords)
                loss_call = _given(function, args, keywords).call()
                if loss_call is None:
                    return result
                with self._as(name):
                    return change(function, loss_call.input, result)

            return call

        of_torch.losses(self.patches, around, functions or WITH_TARGET)

    def backward(self, change: Callable[[Tensor], Tensor]) -> None:
        """Change the tensor that `backward` starts from."""
        name = self.name

        def around(original: Any) -> Any:
            def backward(loss: Tensor, *args: Any, **keywords: Any) -> Any:
                with self._as(name):
                    changed = change(loss)
                return original(changed, *args, **keywords)

            return backward

        of_torch.backward(self.patches, around)

    def calls(self, around: Callable[[nn.Module, Callable[[], Any]], Any]) -> None:
        """Stand around every root call of a model: around(model, call) makes the call, returns its result."""
        name = self.name
        depth = [0]  # of this door alone: others may stand before and behind it

        def wrap(original: Any) -> Any:
            def call(module: nn.Module, *args: Any, **keywords: Any) -> Any:
                if depth[0] or is_loss_module(module):
                    return original(module, *args, **keywords)
                depth[0] += 1
                self.inside += 1
                try:
                    with self._as(name):
                        return around(module, lambda: original(module, *args, **keywords))
                finally:
                    depth[0] -= 1
                    self.inside -= 1

            return call

        of_torch.model_calls(self.patches, wrap)

    def inputs(self, change: Callable[[Tensor], Tensor]) -> None:
        """Change the tensors that models are called with; targets handed along are left alone."""
        name = self.name
        depth = [0]  # of this door alone: others may stand before and behind it

        def wrap(original: Any) -> Any:
            def call(module: nn.Module, *args: Any, **keywords: Any) -> Any:
                if depth[0] or is_loss_module(module):
                    return original(module, *args, **keywords)
                with self._as(name):
                    args = tuple(_mapped(value, change) for value in args)
                    keywords = {
                        key: value if key in TARGET_NAMES else _mapped(value, change)
                        for key, value in keywords.items()
                    }
                depth[0] += 1
                self.inside += 1
                try:
                    return original(module, *args, **keywords)
                finally:
                    depth[0] -= 1
                    self.inside -= 1

            return call

        of_torch.model_calls(self.patches, wrap)

    def first_call(self, change: Callable[[nn.Module], None]) -> None:
        """Change a model just before it is called for the first time."""

        known: list[nn.Module] = []

        def around(model: nn.Module, call: Callable[[], Any]) -> Any:
            if not any(model is one for one in known):
                known.append(model)
                change(model)
            return call()

        self.calls(around)

    def groups(self, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        """Change settings of parameter groups for the length of each optimizer step."""
        saved: list[tuple[dict[str, Any], dict[str, Any]]] = []
        name = self.name

        def before(optimizer: Any, *_: Any) -> None:
            for group in optimizer.param_groups:
                with self._as(name):
                    changed = {key: value for key, value in change(group).items() if group[key] != value}
                if changed:
                    self.took_hold[name] += 1
                    saved.append((group, {key: group[key] for key in changed}))
                    group.update(changed)

        def after(*_: Any) -> None:
            while saved:
                group, values = saved.pop()
                group.update(values)

        of_torch.optimizer_steps(self.patches, before, after)

    def repeat_first_batch(self) -> None:
        """Every turn of a training loop gets the data of its first, and the random numbers of then."""
        from sleuth.lab.worlds.pinned_data import pin

        pin(self)

    def rates(self, factor: float) -> None:
        """Multiply the learning rate of every optimizer."""
        self.groups(lambda group: {"lr": group["lr"] * factor} if "lr" in group else {})

    def before_step(self, act: Callable[[torch.optim.Optimizer], None]) -> None:
        name = self.name

        def hook(optimizer: Any, *_: Any) -> None:
            with self._as(name):
                act(optimizer)

        of_torch.optimizer_steps(self.patches, hook, None)

    def after_step(self, act: Callable[[torch.optim.Optimizer], None]) -> None:
        name = self.name

        def hook(optimizer: Any, *_: Any) -> None:
            with self._as(name):
                act(optimizer)

        of_torch.optimizer_steps(self.patches, None, hook)

    def loaders(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the options DataLoaders are made with: `dataset`, `batch_size`, `shuffle`, ..."""
        names = "dataset batch_size shuffle sampler batch_sampler num_workers collate_fn".split()
        name = self.name

        def around(original: Any) -> Any:
            def init(loader: Any, *args: Any, **keywords: Any) -> None:
                options = dict(zip(names, args, strict=False)) | keywords
                with self._as(name):
                    change(options)
                original(loader, *args[len(names) :], **options)

            return init

        of_torch.loaders_made(self.patches, around)

    @contextmanager
    def _as(self, name: str) -> Iterator[None]:
        """What is changed now is counted under the name the change was made under."""
        before, self.name = self.name, name
        try:
            yield
        finally:
            self.name = before


@dataclass
class _Given:
    """The arguments of a call of a loss, by name where torch has one for them."""

    loss: TorchLoss
    named: dict[str, Any]
    rest: tuple[Any, ...]

    @property
    def target(self) -> str:
        assert self.loss.target_at is not None
        return self.loss.takes[self.loss.target_at]

    def call(self) -> LossCall | None:
        first, target = self.named.get(self.loss.takes[0]), self.named.get(self.target)
        if not isinstance(first, Tensor) or target is None:
            return None
        others = {key: value for key, value in self.named.items() if key not in self.loss.takes}
        return LossCall(self.loss.function, first, target, others)

    def handed_to(self, original: Any, changed: LossCall) -> Any:
        now = self.named | {self.loss.takes[0]: changed.input, self.target: changed.target}
        given = [now[name] for name in self.loss.takes if name in now]
        return original(*given, *self.rest, **changed.keywords)


def _given(function: str, args: Any, keywords: Any) -> _Given:
    loss = LOSSES[function]
    named = dict(zip(loss.takes, args, strict=False)) | dict(keywords)
    return _Given(loss, named, tuple(args[len(loss.takes) :]))


def _mapped(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_mapped(part, change) for part in value)
    if isinstance(value, dict):
        return {key: part if key in TARGET_NAMES else _mapped(part, change) for key, part in value.items()}
    return value
