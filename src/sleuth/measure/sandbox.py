"""Bit-exact restoration: whatever is done to the user's objects inside is undone, however it ends."""

import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.grad_mode import _unsafe_preserve_version_counter

from sleuth.measure import batches
from sleuth.measure.owned_modules import every_module

# The dictionaries in which a module keeps its parts and hooks; restored entry by entry, in place, because
# hook handles hold on to the dictionary itself.
_CONTAINERS = (
    "_parameters",
    "_buffers",
    "_modules",
    "_forward_hooks",
    "_forward_pre_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_pre_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)

Undo = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """How everything was. `restore` may be called again and again; the values of gradients are not copied."""

    undo: tuple[Undo, ...]

    def restore(self) -> None:
        with uninterrupted():
            for undo in self.undo:
                undo()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interruption (Ctrl-C) waits until this is over: half restored would be worse than not at all."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python interrupts the main thread only
        return
    waiting: list[Any] = []
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual):
        yield
        return
    signal.signal(signal.SIGINT, lambda *args: waiting.append(args))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if waiting:
            usual(*waiting[0])


@contextmanager
def at_rest(optimizers: Sequence[Any]) -> Iterator[None]:
    """A step that also steps its optimizer does not move it here: its state is larger than the model."""
    before = [vars(optimizer).get("step") for optimizer in optimizers]
    try:
        for optimizer in optimizers:
            optimizer.step = _nothing
        yield
    finally:
        for optimizer, step in zip(optimizers, before, strict=True):
            vars(optimizer).pop("step", None)
            if step is not None:
                optimizer.step = step


def _nothing(*_: Any, **__: Any) -> None:
    """What an optimizer at rest does in a step."""


def snapshot(model: nn.Module, others: Sequence[Any] = (), batch: Any = None) -> Snapshot:
    """Remember the model, the batch and every random stream; `others` are searched for generators."""
    modules = every_module(model)
    tensors = _unique([tensor for module in modules for tensor in _tensors(module)])
    undo = [_module_undo(module) for module in modules]
    undo += [_tensor_undo(tensor) for tensor in tensors]
    undo += _storage_undo(tensors)
    undo += _generator_undo([*modules, *others])
    undo += [change for _, tensor in batches.leaves(batch) for change in _values_undo(tensor)]
    undo.append(_random_undo())
    return Snapshot(tuple(undo))


@contextmanager
def kept(
    model: nn.Module, seed: int | None = None, others: Sequence[Any] = (), batch: Any = None
) -> Iterator[None]:
    """Run what stands inside on the live objects and put everything back, whatever happens."""
    before = snapshot(model, others, batch)
    with versions_kept(model, batch):
        try:
            _lay_gradients_aside(model)
            if seed is not None:
                sow(seed)
            with torch.enable_grad():
                yield
        finally:
            before.restore()


@contextmanager
def versions_kept(model: nn.Module, batch: Any = None) -> Iterator[None]:
    """A graph the user built before stays usable: autograd counts writes, and ours are undone."""
    tensors = [tensor for module in every_module(model) for tensor in _tensors(module)]
    tensors += [tensor for _, tensor in batches.leaves(batch)]
    usable = tuple(tensor for tensor in _unique(tensors) if not tensor.is_inference())
    with ExitStack() as stack:
        if usable:
            stack.enter_context(_unsafe_preserve_version_counter(usable))
        yield


def _lay_gradients_aside(model: nn.Module) -> None:
    """Gradients that stand there are taken off whole: nobody writes into them, and they need no copy."""
    for module in every_module(model):
        for tensor in _tensors(module):
            if tensor.is_leaf and tensor.grad is not None:
                tensor.grad = None


def sow(seed: int) -> None:
    """Seed every stream, so that a measurement gives the same numbers twice."""
    torch.manual_seed(seed)
    random.seed(seed)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(seed % 2**32)


def _tensors(module: nn.Module) -> Iterator[Tensor]:
    yield from (p for p in module._parameters.values() if p is not None)
    yield from (b for b in module._buffers.values() if b is not None)
    yield from (value for value in vars(module).values() if isinstance(value, Tensor))


def _unique(tensors: Sequence[Tensor]) -> list[Tensor]:
    return list({id(tensor): tensor for tensor in tensors}.values())


def _module_undo(module: nn.Module) -> Undo:
    attributes = dict(vars(module))
    contents = {name: dict(attributes[name]) for name in _CONTAINERS if name in attributes}

    def undo() -> None:
        state = vars(module)
        for name in [name for name in state if name not in attributes]:
            del state[name]
        state.update(attributes)
        for name, content in contents.items():
            state[name].clear()
            state[name].update(content)

    return undo


def _tensor_undo(tensor: Tensor) -> Undo:
    """The tensor's storage, gradient and whether it wants one; the values follow with the storage."""
    gradient, wants, leaf = tensor.grad if tensor.is_leaf else None, tensor.requires_grad, tensor.is_leaf
    data = tensor.data

    def undo() -> None:
        _rebind(tensor, data)
        if leaf and tensor.requires_grad != wants:
            tensor.requires_grad_(wants)
        if leaf and tensor.grad is not gradient:
            tensor.grad = gradient

    return undo


def _values_undo(tensor: Tensor) -> list[Undo]:
    """The values a tensor sees. It may be a small part of a whole data set, which is not copied."""
    if tensor.layout is not torch.strided or tensor.device.type == "meta" or tensor.is_inference():
        return []
    before = tensor.detach().clone()

    def undo() -> None:
        now = tensor.detach()
        if now.shape == before.shape and not torch.equal(now, before):
            now.copy_(before)

    return [_tensor_undo(tensor), undo]


def _rebind(tensor: Tensor, data: Tensor) -> None:
    """Give back the memory a tensor looked into; conversions such as `.double()` exchange it."""
    if tensor.data_ptr() != data.data_ptr() or tensor.dtype != data.dtype:
        tensor.data = data


def _storage_undo(tensors: Sequence[Tensor]) -> list[Undo]:
    """One copy for each block of memory, however many tensors look into it."""
    blocks = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage()
        for tensor in tensors
        if tensor.layout is torch.strided and tensor.device.type != "meta"
    }

    def undo_of(block: torch.UntypedStorage) -> Undo:
        before = block.clone()  # type: ignore[no-untyped-call]

        def undo() -> None:
            block.copy_(before)

        return undo

    return [undo_of(block) for block in blocks.values()]


def _generator_undo(owners: Sequence[Any]) -> list[Undo]:
    """Random generators that live in attributes of the model, the loaders and their datasets."""
    found: dict[int, Any] = {}
    for owner in owners:
        for part in (
            owner,
            *(getattr(owner, name, None) for name in ("dataset", "sampler", "batch_sampler")),
        ):
            for value in vars(part).values() if hasattr(part, "__dict__") else ():
                found[id(value)] = value
    return [undo for value in found.values() if (undo := _one_generator(value)) is not None]


def _one_generator(value: Any) -> Undo | None:
    if isinstance(value, torch.Generator):
        seen = value.get_state()

        def undo() -> None:
            value.set_state(seen)

        return undo
    if isinstance(value, random.Random):
        state = value.getstate()
        return lambda: value.setstate(state)
    if type(value).__module__.startswith("numpy.random") and hasattr(value, "bit_generator"):
        numbers = value.bit_generator.state
        return lambda: setattr(value.bit_generator, "state", numbers)
    return None


def _random_undo() -> Undo:
    torch_state, python_state = torch.get_rng_state(), random.getstate()
    numpy = sys.modules.get("numpy")
    numpy_state = None if numpy is None else numpy.random.get_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None

    def undo() -> None:
        torch.set_rng_state(torch_state)
        random.setstate(python_state)
        if numpy is not None:
            numpy.random.set_state(numpy_state)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)

    return undo
