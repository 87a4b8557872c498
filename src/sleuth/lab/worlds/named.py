"""The named worlds: what experiments change that is not a suspect taken back."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data.dataloader import _BaseDataLoaderIter

from sleuth.lab.control import Pin
from sleuth.lab.worlds.doors import LossCall, World

SHIFT = 1009  # added to every seed in another world


def unchanged(world: World) -> None:
    """The script as it is."""


def same_batch(world: World) -> None:
    """Every turn of a training loop gets the data of its first, and the random numbers of then."""
    world.control.pin = Pin(_snapshot, _restore, _copied, _served, _names_rows)
    first: dict[int, tuple[Any, Any, int]] = {}
    hold = world.holder()

    def around(original: Any) -> Any:
        def advance(iterator: Any) -> Any:
            batch = original(iterator)
            key = id(iterator._dataset)
            if key not in first:
                first[key] = (iterator._dataset, _copied(batch), world.control.backwards)
            elif world.control.backwards > first[key][2]:  # a backward followed its first batch: it trains
                hold()
                return _copied(first[key][1])
            return batch

        return advance

    world.replace(_BaseDataLoaderIter, "__next__", around)


def noise_inputs(world: World) -> None:
    """Models are fed noise with the mean and spread of what they would have got."""
    generator = torch.Generator().manual_seed(0)

    def noise(given: Tensor) -> Tensor:
        if given.dtype == torch.bool or given.numel() == 0 or given.requires_grad:
            return given
        world.hold()
        if given.is_floating_point():
            over = 0 if given.dim() > 1 and len(given) > 1 else None
            mean = given.mean() if over is None else given.mean(0, keepdim=True)
            std = given.std() if over is None else given.std(0, keepdim=True)
            fresh = torch.randn(given.shape, generator=generator, dtype=torch.float32)
            return fresh.to(given) * torch.nan_to_num(std) + mean
        if given.is_complex():
            return given
        low, high = int(given.min()), int(given.max())
        return torch.randint(low, high + 1, given.shape, generator=generator).to(given)

    world.inputs(noise)


def shuffled_labels(world: World) -> None:
    """Targets are dealt out anew among the examples of each batch."""
    generator = torch.Generator().manual_seed(0)

    def deal(call: LossCall) -> None:
        target = call.target
        if isinstance(target, Tensor) and target.dim() and len(target) > 1 and not target.requires_grad:
            world.hold()
            call.target = target[torch.randperm(len(target), generator=generator)]

    world.losses(deal)


def lr_times(factor: float) -> Callable[[World], None]:
    def world_of_another_rate(world: World) -> None:
        world.groups(lambda group: {"lr": group["lr"] * factor} if "lr" in group else {})

    return world_of_another_rate


def other_seed(world: World) -> None:
    """Every seed is another one, so data, start and order are drawn anew."""
    hold = world.holder()

    def shifted(original: Any) -> Any:
        def seed(*args: Any, **keywords: Any) -> Any:
            hold()
            named = {
                key: _another(value) if key in ("seed", "a") else value for key, value in keywords.items()
            }
            return original(*map(_another, args[:1]), *args[1:], **named)

        return seed

    for owner, name in ((torch, "manual_seed"), (torch.random, "manual_seed"), (random, "seed")):
        world.replace(owner, name, shifted)
    world.replace(torch, "Generator", lambda original: _shifted_generator(original, hold))
    try:
        import numpy
    except ImportError:
        return
    for name in ("seed", "default_rng"):
        world.replace(numpy.random, name, shifted)
    world.replace(numpy.random, "RandomState", lambda original: _shifted_class(original, shifted))


def _shifted_generator(original: Any, hold: Callable[[], None]) -> Any:
    class Generator(original):  # type: ignore[misc]
        def manual_seed(self, seed: int) -> Any:
            hold()
            return super().manual_seed(_another(seed))

    return Generator


def _another(seed: Any) -> Any:
    return seed + SHIFT if isinstance(seed, int) else seed


def _shifted_class(original: Any, shifted: Callable[[Any], Any]) -> Any:
    """A class still: libraries ask whether something is an instance of it."""

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, original)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, original)

        def __call__(cls, *args: Any, **keywords: Any) -> Any:
            return shifted(original)(*args, **keywords)

    return Kind(original.__name__, (original,), {"__module__": original.__module__})


def float64(world: World) -> None:
    """Twice the digits: what was rounding error is gone."""
    torch.set_default_dtype(torch.float64)
    world.replace(Tensor, "float", lambda _: Tensor.double)
    world.replace(nn.Module, "float", lambda _: nn.Module.double)

    def widen(given: Tensor) -> Tensor:
        if given.is_floating_point() and given.dtype != torch.float64:
            world.hold()
            return given.double()
        return given

    def widen_loss(call: LossCall) -> None:
        call.input = widen(call.input)
        if isinstance(call.target, Tensor):
            call.target = widen(call.target)

    def widen_model(model: nn.Module) -> None:
        world.hold()
        for tensor in (*model.parameters(), *model.buffers()):
            if tensor.is_floating_point():
                tensor.data = tensor.data.double()

    world.first_call(widen_model)
    world.inputs(widen)
    world.losses(widen_loss)


def no_regularisation(world: World) -> None:
    """No weight decay, no dropout, no label smoothing."""
    world.groups(lambda group: {"weight_decay": 0} if group.get("weight_decay") else {})
    hold = world.holder()

    def identity(original: Any) -> Any:
        def dropout(given: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
            if training and p > 0:
                hold()
                return given
            result: Tensor = original(given, p, training, inplace)
            return result

        return dropout

    for name in "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split():
        world.replace(functional, name, identity)

    def sharpen(call: LossCall) -> None:
        if call.keywords.get("label_smoothing"):
            world.hold()
            call.keywords["label_smoothing"] = 0.0

    world.losses(sharpen, "cross_entropy")


def no_momentum(world: World) -> None:
    """Steps follow the present gradient alone."""

    def still(group: dict[str, Any]) -> dict[str, Any]:
        if group.get("momentum"):
            return {"momentum": 0, "nesterov": False} if "nesterov" in group else {"momentum": 0}
        betas = group.get("betas")
        return {"betas": (0.0, betas[1])} if betas and betas[0] else {}

    world.groups(still)


WORLDS: Mapping[str, Callable[[World], None]] = {
    "unchanged": unchanged,
    "same-batch": same_batch,
    "noise-inputs": noise_inputs,
    "shuffled-labels": shuffled_labels,
    "lr×10": lr_times(10.0),
    "lr×0.1": lr_times(0.1),
    "other-seed": other_seed,
    "float64": float64,
    "no-regularisation": no_regularisation,
    "no-momentum": no_momentum,
    "again": unchanged,
}


def _snapshot() -> Any:
    state: list[Any] = [torch.get_rng_state(), random.getstate()]
    try:
        import numpy
    except ImportError:
        return state
    return [*state, numpy.random.get_state()]


def _restore(state: Any) -> None:
    torch.set_rng_state(state[0])
    random.setstate(state[1])
    if len(state) > 2:
        import numpy

        numpy.random.set_state(state[2])


def _is_data(value: Any) -> bool:
    return isinstance(value, Tensor) or (type(value).__module__ == "numpy" and hasattr(value, "shape"))


def _holds_data(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_holds_data(part) for part in value)
    if isinstance(value, Mapping):
        return any(_holds_data(part) for part in value.values())
    return _is_data(value)


def _copied(value: Any) -> Any:
    """The same structure with copies of its tensors: the script may write into what it is given."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad) if value.is_leaf else value.clone()
    if _is_data(value):
        return value.copy()
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_copied(part) for part in value)
    if type(value) is dict:
        return {key: _copied(part) for key, part in value.items()}
    return value


def _names_rows(value: Any) -> bool:
    """Whole numbers and words: an order of rows, tokens, file names."""
    if isinstance(value, Tensor):
        return not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    if _is_data(value):
        return value.dtype.kind in "iuSU"
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_names_rows, value[:4]))
    return isinstance(value, (int, str, bytes)) and not isinstance(value, bool)


def _served(item: Any, first: Any, picks_rows: bool) -> Any:
    """The first turn's data; a counter beside it goes on, unless it picks the rows itself."""
    if not _holds_data(first):
        return first if picks_rows else item
    return _exchanged(item, _copied(first))


def _exchanged(item: Any, first: Any) -> Any:
    if isinstance(item, (int, float, str)):
        return item
    if isinstance(item, (tuple, list)) and not hasattr(item, "_fields") and len(item) == len(first):
        return type(item)(_exchanged(part, other) for part, other in zip(item, first, strict=True))
    return first
