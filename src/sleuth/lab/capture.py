"""Takes model, batch, step, optimizers and loaders out of an unmodified training script."""

import runpy
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader, Subset
from torch.utils.data.dataloader import _BaseDataLoaderIter

from sleuth.lab.step_parts import (
    Pending,
    batch_of,
    held_out,
    made_by_library,
    model_of,
    other_loader,
    trainable,
)
from sleuth.measure import batches
from sleuth.measure.captured import Captured, Ending, as_main, patched
from sleuth.measure.fits import Fits
from sleuth.measure.forward import computes, is_loss_module, user_frame
from sleuth.measure.grad_requests import read_request
from sleuth.measure.not_examined import one_line
from sleuth.measure.tape import Entry, cut, mixed_precision, tensors_in

SEGMENTS = 2  # backward passes whose operations are kept: a generator follows its discriminator
LONGEST_TAPE = 20_000  # entries kept before the first backward; a step of a long unrolled loop has thousands
# What only changes how data is laid out is followed back: the batch is what the script had first.
_RESHAPES = frozenset(
    "flatten view reshape unsqueeze squeeze transpose permute contiguous float long double to type".split()
)
_CONSTANTS = frozenset("zeros ones full arange eye empty linspace zeros_like ones_like full_like".split())


__all__ = ["Captured", "Ending", "capture"]


def capture(
    script: Path,
    arguments: Sequence[str] = (),
    *,
    examine: Callable[[Captured], None],
    phases: int = 1,
    seconds: float = 60.0,
) -> Ending:
    """Run a script and hand each optimizer's first step to `examine`; stop after `phases` of them."""
    recorder = _Recorder(examine, phases, time.monotonic() + seconds)
    error = None
    with ExitStack() as stack:
        stack.enter_context(as_main(script, arguments))
        stack.enter_context(recorder.fits.watched(script))
        stack.enter_context(recorder.installed())
        try:
            runpy.run_path(str(script), run_name="__main__")
            recorder.at_end()
        except _Enough:
            pass
        except SystemExit as ended:
            error = None if ended.code in (None, 0) else f"SystemExit: {ended.code}"
        except Exception as raised:
            error = one_line(raised)
    if recorder.fault is not None:
        raise recorder.fault
    return Ending(recorder.done, error)


class _Enough(BaseException):
    """Seen what was wanted. Not an Exception, so that a script's `except Exception` lets it through."""


@dataclass(eq=False)
class _Recorder(TorchFunctionMode):
    """The doors of torch, held open while the script runs."""

    examine: Callable[[Captured], None]
    phases: int
    until: float
    done: int = 0
    depth: int = 0
    resting: bool = False
    inside_backward: bool = False
    stepping: torch.optim.Optimizer | None = None
    pending: Pending | None = None
    entries: list[Entry] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)  # lengths of the tape at the last backward passes
    live: dict[int, Tensor] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)  # by torch.tensor: settings, or a small set of data
    parents: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)
    laid_out: dict[int, Entry] = field(default_factory=dict)
    served: tuple[Any, Any] | None = None
    loaders: list[Any] = field(default_factory=list)
    divided: list[Any] = field(default_factory=list)  # parts of data sets that a library split off by itself
    modules: list[Any] = field(default_factory=list)
    optimizers: list[Any] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)  # the optimizers themselves: an id may be used again
    names: dict[int, str] = field(default_factory=dict)
    unscaled: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)
    fits: Fits = field(default_factory=Fits)
    fault: Exception | None = None

    def __post_init__(self) -> None:
        super().__init__()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Patch, run, put back."""
        with ExitStack() as stack:
            for owner, name, wrapper in (
                (nn.Module, "__call__", self._module_call),
                (nn.Module, "__init__", self._noted(self.modules)),
                (DataLoader, "__init__", self._kept(self.loaders)),
                (Subset, "__init__", self._kept(self.divided, made_by_library)),
                (torch.amp.GradScaler, "scale", self._scaled),
                (_BaseDataLoaderIter, "__next__", self._next),
                (torch.optim.Optimizer, "__init__", self._noted(self.optimizers)),
                (Tensor, "backward", self._backward),
                (torch.autograd, "grad", self._grad),
                (torch.autograd.Function, "apply", self._own_function),
            ):
                stack.enter_context(patched(owner, name, wrapper))
            hook = register_optimizer_step_pre_hook(self._step)
            stack.callback(hook.remove)
            after = register_optimizer_step_post_hook(self._stepped)
            stack.callback(after.remove)
            stack.enter_context(self)
            yield

    def at_end(self) -> None:
        """A script that never stepped has one tape left, if it went backward at all."""
        if self.pending is not None and self.done == 0:
            self._show(self.pending, None)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        keywords = kwargs or {}
        result = func(*args, **keywords)
        if self.resting or self.depth or not computes(func):
            return result
        given = tuple(tensors_in((args, keywords)))
        outputs = tuple(tensors_in(result))
        if any(trainable(tensor) for tensor in outputs):
            return result  # a parameter is made, initialised or updated by hand: no part of a step to replay
        if any(id(tensor) in self.live or trainable(tensor) for tensor in given):
            self._note(func, args, keywords, given, outputs)
        elif outputs:
            self._remember(getattr(func, "__name__", ""), func, args, keywords, given, outputs)
        return result

    def _remember(self, name: str, call: Any, args: Any, keywords: Any, given: Any, outputs: Any) -> None:
        """What happened to data before it met the model: rows picked by hand, a changed layout, constants."""
        if name in _CONSTANTS or name == "tensor":
            if outputs[0].numel() <= 4096:  # small ones are cheap to keep, and an id is unique while kept
                (self.written if name == "tensor" else self.made).add(id(outputs[0]))
                self.parents[id(outputs[0])] = (outputs[0], outputs[0])
        elif name in ("__getitem__", "index_select") and given and not isinstance(args[1], tuple):
            self.parents[id(outputs[0])] = (outputs[0], given[0])
        elif name in _RESHAPES and len(given) == 1 and len(outputs) == 1 and outputs[0] is not given[0]:
            entry = Entry(call, tuple(args), dict(keywords), given, outputs, True, user_frame())
            self.laid_out[id(outputs[0])] = entry

    def _note(
        self,
        call: Any,
        args: Any,
        keywords: Any,
        given: tuple[Tensor, ...],
        outputs: tuple[Tensor, ...],
    ) -> None:
        if len(self.entries) > LONGEST_TAPE:
            self._forget(len(self.entries))
        for tensor in given:
            self._follow_back(tensor)
        grad = torch.is_grad_enabled()
        self.entries.append(
            Entry(call, tuple(args), dict(keywords), given, outputs, grad, user_frame(), mixed_precision())
        )
        self.live.update((id(tensor), tensor) for tensor in outputs)

    def _follow_back(self, tensor: Tensor) -> None:
        entry = self.laid_out.get(id(tensor))
        if entry is not None and id(tensor) not in self.live:
            self._follow_back(entry.inputs[0])
            self.entries.append(entry)
            self.live[id(tensor)] = tensor

    def _kept(self, shelf: list[Any], wanted: Callable[[], bool] = lambda: True) -> Callable[[Any], Any]:
        """As `_noted`, and alive: a loader made in the head of a loop is gone while it still serves."""

        def wrap(original: Any) -> Any:
            def init(instance: Any, *args: Any, **keywords: Any) -> None:
                if wanted():
                    shelf.append(instance)
                original(instance, *args, **keywords)

            return init

        return wrap

    def _scaled(self, original: Any) -> Any:
        """The loss that is meant is the one before a gradient scaler multiplied it."""

        def scale(scaler: Any, outputs: Any) -> Any:
            result = original(scaler, outputs)
            if isinstance(outputs, Tensor) and not self.resting:
                self.unscaled[id(result)] = (result, outputs)
            return result

        return scale

    def _noted(self, shelf: list[Any]) -> Callable[[Any], Any]:
        def wrap(original: Any) -> Any:
            def init(instance: Any, *args: Any, **keywords: Any) -> None:
                shelf.append(weakref.ref(instance))
                original(instance, *args, **keywords)

            return init

        return wrap

    def _module_call(self, original: Any) -> Any:
        def call(module: nn.Module, *args: Any, **keywords: Any) -> Any:
            if self.resting or self.depth or is_loss_module(module):
                return original(module, *args, **keywords)
            self.depth += 1
            try:
                result = original(module, *args, **keywords)
            finally:
                self.depth -= 1
            given = tuple(tensors_in((args, keywords)))
            # A compiled model is examined as the model it was made from: every new shape compiles it anew.
            self._note(getattr(module, "_orig_mod", module), args, keywords, given, tuple(tensors_in(result)))
            return result

        return call

    def _own_function(self, original: Any) -> Any:
        """A function with a backward of its own is one call: autograd does not see into its forward."""

        def apply(cls: Any, *args: Any, **keywords: Any) -> Any:
            call = original.__get__(None, cls)
            if self.resting or self.depth:
                return call(*args, **keywords)
            self.depth += 1
            try:
                result = call(*args, **keywords)
            finally:
                self.depth -= 1
            given = tuple(tensors_in((args, keywords)))
            if any(id(tensor) in self.live or trainable(tensor) for tensor in given):
                self._note(call, args, keywords, given, tuple(tensors_in(result)))
            return result

        return classmethod(apply)

    def _next(self, original: Any) -> Any:
        def advance(iterator: Any) -> Any:
            batch = original(iterator)
            if not self.resting:
                self.served = (self._loader_of(iterator), batch)
                if self.pending is None:
                    self._forget(len(self.entries))
                self.live.update((id(tensor), tensor) for tensor in tensors_in(batch))
            return batch

        return advance

    def _loader_of(self, iterator: Any) -> Any:
        return next((loader for loader in self.loaders if loader.dataset is iterator._dataset), None)

    def _grad(self, original: Any) -> Any:
        """Slopes asked for and used by hand: a backward pass, where there is no optimizer."""

        def grad(*args: Any, **keywords: Any) -> Any:
            alone = not (self.resting or self.inside_backward or self.optimizers)
            if alone and (loss := read_request(args, keywords)) is not None:
                self._going_back(loss, sys._getframe(1))
            return original(*args, **keywords)

        return grad

    def _going_back(self, loss: Tensor, frame: Any) -> None:
        scope = self._name(frame)
        if self.pending is not None and self.stepping is None and not self.seen:
            self._show(self.pending, None)
        meant = self.unscaled.get(id(loss), (loss, loss))[1]
        tape = cut(self.entries, meant, self.marks[-1] if self.marks else 0)
        self.pending = Pending(tape, self.served, scope)
        if self.stepping is not None:
            self._show(self.pending, self.stepping)
        self._mark()

    def _backward(self, original: Any) -> Any:
        def backward(loss: Tensor, *args: Any, **keywords: Any) -> Any:
            if not self.resting and not self.inside_backward:
                self._going_back(loss, sys._getframe(1))
            # Under a torch function mode the method calls itself once more, through this very door.
            self.inside_backward = True
            try:
                return original(loss, *args, **keywords)
            finally:
                self.inside_backward = False

        return backward

    def _mark(self) -> None:
        """A later loss may use what was made before this one: a generated sample, judged twice."""
        self.marks.append(len(self.entries))
        self.unscaled.clear()
        if len(self.marks) > SEGMENTS:
            self._forget(self.marks[0])

    def _forget(self, count: int) -> None:
        """Drop the oldest entries, and what they made."""
        del self.entries[:count]
        self.marks = [mark - count for mark in self.marks if mark > count]
        self.live = {id(t): t for entry in self.entries for t in entry.outputs}

    def _step(self, optimizer: Any, *_: Any) -> None:
        if self.resting:
            return
        if time.monotonic() > self.until:
            raise _Enough
        self.stepping = optimizer
        if self.pending is not None:
            self._show(self.pending, optimizer)

    def _stepped(self, *_: Any) -> None:
        self.stepping, self.pending = None, None

    def _name(self, frame: Any) -> dict[str, Any]:
        """What the script calls its models and tensors, for messages."""
        while frame is not None and "torch" in frame.f_code.co_filename:
            frame = frame.f_back
        if frame is None:
            return {}
        scope = {**frame.f_globals, **frame.f_locals}
        seen = {name: value for name, value in scope.items() if isinstance(value, (nn.Module, Tensor))}
        self.names.update((id(value), name) for name, value in seen.items())
        return seen

    def _show(self, pending: Pending, optimizer: Any) -> None:
        if any(optimizer is other for other in self.seen) or not pending.tape.entries:
            return
        self.seen.append(optimizer)
        self.resting = True
        try:
            self.examine(self._captured(pending, optimizer))
        except Exception as fault:  # of whoever examines, not of the script: kept apart
            self.fault = fault
            raise _Enough from None
        finally:
            self.resting = False
        self.done += 1
        if self.done >= self.phases:
            raise _Enough

    def _captured(self, pending: Pending, optimizer: Any) -> Captured:
        alive = [found for ref in self.optimizers if (found := ref()) is not None]
        first = [optimizer] if optimizer is not None else []
        optimizers = tuple(first + [other for other in alive if other is not optimizer])
        tape, names = pending.tape, self.names
        held = {id(p) for one in optimizers for group in one.param_groups for p in group["params"]}
        modules = [module for ref in self.modules if (module := ref()) is not None]
        model = model_of(tape, modules, held, lambda thing, other: names.get(id(thing), other))
        batch, loader = batch_of(
            tape, model, held, pending.served, pending.scope, self.made, self.written, self.parents
        )
        keys = [id(tensor) for _, tensor in batches.leaves(batch)]

        def step(_: nn.Module, batch: Any) -> Tensor:
            given = [tensor for _, tensor in batches.leaves(batch)]
            return tape.replay(dict(zip(keys, given, strict=True)))

        others = [one for one in self.loaders if not any(one.dataset is part for part in self.divided)]
        other = other_loader(loader, others) or held_out(loader, pending.scope)
        return Captured(model, batch, step, optimizers, loader, other, self.fits.found())
