"""The models of the script: which module is the whole, where it was made, what it holds."""

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sleuth.record.entries import Layer, Model, Parameter
from sleuth.watching.identity import Memory
from sleuth.watching.place import NOWHERE, Place
from sleuth.watching.state import State
from sleuth.watching.tensors import address_of

COMPILED = "OptimizedModule"
WRAPPERS = frozenset(("DistributedDataParallel", "DataParallel", COMPILED, "FullyShardedDataParallel"))
# Layers whose output depends on `training`.
MODAL = ("Dropout", "BatchNorm", "InstanceNorm", "RReLU", "DropPath", "StochasticDepth")
MOST_VALUES = 1 << 16  # of one parameter looked at when a model is described
MOST_LAYERS = 2000
FEW = 64


@dataclass
class Known:
    """A model that has been seen. Holds no strong reference to it."""

    id: int
    module: "weakref.ref[Any]"
    type: str
    made: Place = NOWHERE
    told: bool = False
    trained: bool = False
    modal: bool = True  # its output depends on the mode
    chance: bool = True  # and on random numbers
    compiled: bool = False  # or parts of it
    names: dict[int, str] = field(default_factory=dict)  # id() of a parameter → its name
    first: Callable[[], Any] = field(default=lambda: None)  # its first parameter, while it lives
    modules: dict[int, str] = field(default_factory=dict)  # id() of a module → its name


@dataclass
class Births:
    """Where each module was made, without touching the module."""

    places: Memory = field(default_factory=Memory)  # module → (where it was made, steps before)
    writes: dict[int, Place] = field(default_factory=dict)  # address of values → who wrote them last


def attach(state: State, patches: Any, births: Births) -> None:
    import torch

    def watched(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(self, *args, **kwargs)
            if not state.off and self not in births.places:
                try:
                    births.places[self] = (state.places.maker(self), state.n)
                except Exception as error:
                    state.give_up(error)

        return __init__

    patches.replace(torch.nn.Module, "__init__", watched)


def known(state: State, births: Births, module: Any) -> Known:
    """The model that a module belongs to: its outermost owner, or itself."""
    entry = state.models.get(id(module))
    if entry is not None and (entry.module() is module or id(module) in entry.modules):
        whole = entry.module()
        if whole is module or (whole is not None and _at(whole, entry.modules[id(module)]) is module):
            return entry
    owner: Any = unwrapped(_outermost(births, module))
    entry = state.models.get(id(owner))
    if entry is None or entry.module() is not owner:
        entry = _wrapped_again(state, owner)
    if entry is None:
        for key in [key for key, known in state.models.items() if known.module() is None]:
            del state.models[key]
        entry = Known(state.new_id("model"), weakref.ref(owner), type(owner).__name__)
        entry.made = births.places.get(owner, (NOWHERE, 0))[0]
        state.models[id(owner)] = entry
    entry.modules = {id(part): name for name, part in owner.named_modules()}
    entry.names = {id(part): name for name, part in owner.named_parameters()}
    entry.first = _first(owner)
    entry.modal = any(_modal(part) for part in owner.modules())
    entry.chance = any(_modal(part) and "Norm" not in type(part).__name__ for part in owner.modules())
    entry.compiled = any(_compiled(part) for part in owner.modules())
    state.models[id(module)] = entry
    return entry


def _wrapped_again(state: State, owner: Any) -> Known | None:
    """The known model of which this is a new wrapper: solvers and samplers put one around it at each call."""
    first = _first(owner)()
    if first is None:
        return None
    alike = [entry for entry in state.models.values() if entry.first() is first]
    held = {id(part) for part in owner.parameters()}
    entry = next((entry for entry in alike if entry.names.keys() == held), None)
    if entry is not None:
        entry.module = weakref.ref(owner)
        state.models[id(owner)] = entry
    return entry


def _first(owner: Any) -> Callable[[], Any]:
    """Its first parameter, not kept alive: as long as that lives, ids of parameters mean what they meant."""
    part = next(owner.parameters(), None)
    return weakref.ref(part) if part is not None else lambda: None


def model_of(state: State, births: Births, module: Any) -> Known | None:
    """The model a module belongs to, if it holds any parameters."""
    if next(module.parameters(), None) is None:
        return None
    return known(state, births, module)


def few_weights(entry: Known) -> str:
    """Sums of a few weights of the first, a middle and the last parameter, and how often any was written to:
    who loads a checkpoint, averages or swaps weights between two steps changes them."""
    owner = entry.module()
    parts = [*owner.parameters()] if owner is not None else []
    chosen = {id(part): part for part in (*parts[:1], *parts[len(parts) // 2 :][:1], *parts[-1:])}
    try:
        sums = [f"{float(part.detach().reshape(-1)[:FEW].sum()):.9g}" for part in chosen.values()]
        return " ".join((*sums, str(sum(part._version for part in parts))))
    except (RuntimeError, NotImplementedError):  # lazy, or without storage
        return ""


def _at(owner: Any, name: str) -> Any:
    try:
        return owner.get_submodule(name)
    except AttributeError:
        return None


def unwrapped(module: Any) -> Any:
    while type(module).__name__ in WRAPPERS:
        inner = getattr(module, "module", None) or getattr(module, "_orig_mod", None)
        if inner is None:
            break
        module = inner
    return module


def _outermost(births: Births, module: Any) -> Any:
    """Climb from part to whole; a module used by several wholes belongs to itself."""
    owners: dict[int, list[Any]] = {}
    for other in [*births.places]:
        for part in vars(other).get("_modules", {}).values():
            if part is not None:
                owners.setdefault(id(part), []).append(other)
    for _ in range(100):
        above = [owner for owner in owners.get(id(module), []) if type(owner).__name__ not in WRAPPERS]
        if len(above) != 1:
            break
        module = above[0]
    return module


def tell(state: State, births: Births, entry: Known) -> None:
    """Write the model down, once."""
    entry.told = True
    owner = entry.module()
    if owner is None:
        return
    path, line = entry.made
    state.put(
        Model(
            id=entry.id,
            type=entry.type,
            line=line,
            path=path,
            n=state.n,
            layers=tuple(_layers(births, owner)),
            parameters=tuple(_parameters(state, owner, births)),
            mode_matters=entry.modal,
            devices=tuple(sorted({str(part.device) for part in owner.parameters()})),
        )
    )


def _modal(module: Any) -> bool:
    """Whether train and eval mode differ for it. A rate of 0 makes no difference."""
    name = type(module).__name__
    rate = getattr(module, "p" if "Dropout" in name else "dropout", None)
    if isinstance(rate, (int, float)):  # of a transformer's layer `dropout` is a module, asked by itself
        return rate > 0
    return any(word in name for word in MODAL)


def _compiled(module: Any) -> bool:
    return type(module).__name__ == COMPILED or getattr(module, "_compiled_call_impl", None) is not None


def _layers(births: Births, owner: Any) -> Iterator[Layer]:
    for count, (name, part) in enumerate(owner.named_modules()):
        if name and count <= MOST_LAYERS:
            (path, line), _ = births.places.get(part, (NOWHERE, 0))
            yield Layer(name, type(part).__name__, line, path)


def _parameters(state: State, owner: Any, births: Births) -> Iterator[Parameter]:
    holders: dict[int, list[int]] = {}
    for number, held in state.optimizers.items():
        for part in held.parameters():
            holders.setdefault(id(part), []).append(number)
    for count, (name, part) in enumerate(owner.named_parameters()):
        if count < MOST_LAYERS:
            place = births.writes.get(address_of(part) or 0, NOWHERE)
            yield _parameter(name, part, tuple(holders.get(id(part), ())), place)


def _parameter(name: str, part: Any, optimizers: tuple[int, ...], written: Place) -> Parameter:
    import torch

    shape = tuple(int(size) for size in getattr(part, "shape", ()))
    about: dict[str, Any] = {
        "name": name,
        "dtype": str(part.dtype).removeprefix("torch."),
        "trainable": bool(part.requires_grad),
        "optimizers": optimizers,
        "device": str(part.device),
        "path": written[0],
        "line": written[1],
    }
    if torch.nn.parameter.is_lazy(part) or part.is_meta or not part.numel():
        return Parameter(shape=(), **about)
    values = part.detach().reshape(-1)
    values = values[:: max(1, len(values) // MOST_VALUES)].float()
    std, mean = torch.std_mean(values, correction=0)
    rows = part.detach().reshape(shape[0], -1) if len(shape) > 1 and shape[0] > 1 else None
    return Parameter(
        shape=shape,
        norm=float(part.detach().float().norm()),
        mean=float(mean),
        std=float(std),
        largest=float(values.abs().max()),
        equal_rows=rows is not None and bool((rows == rows[:1]).all()),
        **about,
    )
