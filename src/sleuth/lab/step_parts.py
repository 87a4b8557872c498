"""The parts of a recorded step: which modules it trains, what it was fed, and what is held out."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, SequentialSampler

from sleuth.lab.run import is_users
from sleuth.measure.captured import Assembly, Chunks
from sleuth.measure.tape import Tape, tensors_in

# How scripts call what they keep for evaluation: x_val, X_test, test_images, dev_y, holdout.
_HELD_OUT = re.compile(r"(^|_)(val|valid|validation|test|dev|eval|holdout|te|va|tst)\d*(_|$)", re.IGNORECASE)

_TORCH = os.path.dirname(torch.__file__)


@dataclass(frozen=True, eq=False)
class Pending:
    """A backward pass that waits for its optimizer: the tape, the batch last served, names in sight."""

    tape: Tape
    served: tuple[Any, Any] | None
    scope: Mapping[str, Any]


def trainable(tensor: Tensor) -> bool:
    if not tensor.requires_grad:
        return False
    try:
        return tensor.is_leaf
    except RuntimeError:  # a row of a parameter that was written to, as an embedding does with its padding
        return False


def model_of(
    tape: Tape, modules: Sequence[nn.Module], held: set[int], called: Callable[[Any, str], str]
) -> nn.Module:
    """The one module that was called, the smallest that owns all of them, or an assembly."""
    roots = tape.roots()
    bare = [tensor for tensor in tape.outside() if trainable(tensor) and not _data(tensor, tape, held)]
    if len(roots) == 1 and not bare:
        return roots[0]
    wanted = {id(part) for part in (*roots, *bare)}
    owners = [
        module
        for module in modules
        if wanted <= {id(part) for part in (*module.modules(), *module.parameters())}
    ]
    if owners:
        return min(owners, key=lambda module: sum(1 for _ in module.modules()))
    inside = {id(p) for root in roots for p in root.parameters()}
    parts = [(called(root, f"model{index}"), root) for index, root in enumerate(roots)]
    loose = [(called(t, f"w{i}"), t) for i, t in enumerate(bare) if id(t) not in inside]
    return Assembly(parts, loose)


def _data(tensor: Tensor, tape: Tape, held: set[int]) -> bool:
    """Data may want a gradient too: points at which an equation is differentiated, a perturbed image."""
    if id(tensor) in held:
        return False
    called = [entry for entry in tape.entries if entry.module is not None]
    return any(id(tensor) == id(given) for entry in called for given in entry.inputs)


def batch_of(
    tape: Tape,
    model: nn.Module,
    held: set[int],
    served: tuple[Any, Any] | None,
    scope: Mapping[str, Any],
    constants: set[int],
    written: set[int],
    parents: Mapping[int, tuple[Tensor, Tensor]],
) -> tuple[Any, Any]:
    """What the loader served, or the tensors that came from outside; and a loader over all of them."""
    outside = {id(tensor) for tensor in tape.outside()}
    if served is not None:
        loader, batch = served
        if any(id(tensor) in outside for tensor in tensors_in(batch)):
            return _without_discarded(batch, scope), loader
    owned = {id(t) for t in (*model.parameters(), *model.buffers())}
    fed = [t for entry in tape.entries if entry.module is not None for t in entry.inputs if id(t) in outside]
    rest = [t for t in tape.outside() if id(t) not in {id(x) for x in fed}]
    # What torch.tensor made is data if it is as long as the rest, or if there is no rest.
    usual = [t for t in fed if id(t) not in constants | written]
    lengths = {len(t) for t in usual or fed if t.dim()} or {
        len(t) for t in rest if t.dim() and not trainable(t)
    }
    chosen = [
        t
        for t in dict.fromkeys((*fed, *rest))
        if id(t) not in owned | constants
        and (not trainable(t) or _data(t, tape, held))
        and t.dim()
        and len(t) in lengths
    ]
    wholes = [parents[id(t)][1] for t in chosen if id(t) in parents]
    complete = len(wholes) == len(chosen) and len({len(t) for t in wholes}) == 1
    return tuple(chosen), (Chunks(tuple(wholes)) if complete and wholes else None)


def _without_discarded(batch: Any, scope: Mapping[str, Any]) -> Any:
    """Without what the script took under the name `_`: labels that a distillation or a pretext task leaves
    aside are no target."""
    discarded = {id(value) for name, value in scope.items() if not name.strip("_")}
    discarded -= {id(value) for name, value in scope.items() if name.strip("_")}
    if not isinstance(batch, (list, tuple)) or not any(id(part) in discarded for part in batch):
        return batch
    return tuple(part for part in batch if id(part) not in discarded)


def other_loader(loader: Any, loaders: Sequence[Any]) -> Any:
    """A loader served in order that is not the training one: where people evaluate."""
    if not isinstance(loader, DataLoader):
        return None
    others = [x for x in loaders if x is not loader and x.dataset is not loader.dataset]
    return next((x for x in others if isinstance(x.sampler, SequentialSampler)), None)


def made_by_library() -> bool:
    """Whether a package other than torch is making something on its own account, not the user's code."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_TORCH):
        frame = frame.f_back
    return frame is not None and not is_users(frame.f_code.co_filename)


def held_out(loader: Any, scope: Mapping[str, Any]) -> Chunks | None:
    """Tensors named as held out that have the form of those the script trains on."""
    wholes = loader.tensors if isinstance(loader, Chunks) else _behind(loader)
    if not wholes:
        return None
    named = {name: value for name, value in scope.items() if _HELD_OUT.search(name)}
    tensors = [(name, t) for name, t in named.items() if isinstance(t, Tensor) and t.dim()]
    for _, first in tensors:
        found = [_partner(tensors, whole, len(first)) for whole in wholes]
        if all(t is not None for t in found) and len({id(t) for t in found}) == len(found):
            return Chunks(tuple(t for t in found if t is not None))
    return None


def _behind(loader: Any) -> tuple[Tensor, ...]:
    """The tensors a loader over a plain dataset of tensors serves."""
    tensors = getattr(getattr(loader, "dataset", None), "tensors", ())
    return tuple(tensors) if all(isinstance(t, Tensor) for t in tensors) else ()


def _partner(tensors: Sequence[tuple[str, Tensor]], whole: Tensor, length: int) -> Tensor | None:
    """The held-out tensor of the same kind: width, type and length must fit."""
    fitting = [
        t
        for _, t in tensors
        if len(t) == length and t.shape[1:] == whole.shape[1:] and t.dtype == whole.dtype
    ]
    return fitting[0] if len(fitting) == 1 else None
