"""Taking a batch apart: tensors in tuples, lists, dicts and dataclasses; slicing, joining, replacing."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import torch
from torch import Tensor

from sleuth.errors import SleuthError

# Names under which batches given as dicts keep what should come out.
TARGET_NAMES = ("labels", "label", "targets", "target", "y", "y_true")


def leaves(batch: Any, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """Every tensor with its place, such as `[0]` or `['labels']`."""
    if isinstance(batch, Tensor):
        yield path, batch
        return
    for key, part in _parts(batch):
        yield from leaves(part, f"{path}{key}")


def mapped(batch: Any, change: Callable[[str, Tensor], Any], path: str = "") -> Any:
    """The same structure with every tensor replaced; everything else stays what it is."""
    if isinstance(batch, Tensor):
        return change(path, batch)
    parts = [mapped(part, change, f"{path}{key}") for key, part in _parts(batch)]
    return _rebuilt(batch, parts)


def size(batch: Any) -> int:
    """How many examples: the leading length that most tensors share; the last tensor decides a tie."""
    found = [len(tensor) for _, tensor in leaves(batch) if tensor.dim() > 0]
    if not found:
        return 0
    counts = Counter(found)
    best = max(counts.values())
    return [length for length in found if counts[length] == best][-1]


def take(batch: Any, rows: Tensor) -> Any:
    """The batch with only these examples, in this order."""
    length = size(batch)
    return mapped(batch, lambda _, tensor: tensor[rows] if _batched(tensor, length) else tensor)


def cropped(batch: Any, length: int, to: int) -> Any:
    """Sequences of this length (on the second axis) cut to another."""
    return mapped(batch, lambda _, t: t[:, :to] if t.dim() >= 2 and t.shape[1] == length > to else t)


def doubled(batch: Any) -> Any:
    """Every example twice."""
    length = size(batch)
    return mapped(
        batch, lambda _, tensor: torch.cat([tensor, tensor]) if _batched(tensor, length) else tensor
    )


def parted(batch: Any) -> tuple[Any, Any]:
    """What goes in and what should come out, by position or by name; None where there is no target."""
    if isinstance(batch, Mapping):
        names = [name for name in batch if str(name).lower() in TARGET_NAMES]
        rest = {key: value for key, value in batch.items() if key not in names}
        wanted = [batch[name] for name in names]
        return rest, (wanted[0] if len(wanted) == 1 else tuple(wanted) or None)
    if isinstance(batch, (tuple, list)) and len(batch) >= 2 and not _ragged(batch):
        inputs = tuple(batch[:-1])
        return (inputs[0] if len(inputs) == 1 else inputs), batch[-1]
    if isinstance(batch, (tuple, list)) and len(batch) == 1:
        return batch[0], None
    return batch, None


def checked(batch: Any) -> None:
    """One clear sentence when the batch holds nothing that could be examined."""
    found = list(leaves(batch))
    if not found:
        raise SleuthError(
            f"The batch is a {type(batch).__name__} without tensors; expected tensors, or a tuple, list or "
            "dict of tensors, as a DataLoader gives them."
        )
    if all(tensor.numel() == 0 for _, tensor in found):
        shapes = ", ".join(str(tuple(tensor.shape)) for _, tensor in found)
        raise SleuthError(f"The batch is empty (shapes {shapes}); at least one example is needed.")


def first_batch(loader: Any) -> Any:
    """The first batch a loader gives."""
    for batch in loader:
        return batch
    raise SleuthError(f"The loader ({type(loader).__name__}) gives no batch: its length is 0.")


def _parts(batch: Any) -> list[tuple[str, Any]]:
    if isinstance(batch, Mapping):
        return [(f"[{key!r}]", value) for key, value in batch.items()]
    if isinstance(batch, (tuple, list)):
        return [(f"[{index}]", value) for index, value in enumerate(batch)]
    if is_dataclass(batch) and not isinstance(batch, type):
        return [(f".{entry.name}", getattr(batch, entry.name)) for entry in fields(batch)]
    return []


def _rebuilt(batch: Any, parts: Sequence[Any]) -> Any:
    if isinstance(batch, dict):
        return type(batch)(zip(batch, parts, strict=True))
    if isinstance(batch, Mapping):
        return dict(zip(batch, parts, strict=True))
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*parts)
    if isinstance(batch, (tuple, list)):
        return type(batch)(parts)
    if is_dataclass(batch) and not isinstance(batch, type):
        names = [entry.name for entry in fields(batch)]
        return replace(batch, **dict(zip(names, parts, strict=True)))
    return batch


def _batched(tensor: Tensor, length: int) -> bool:
    return tensor.dim() > 0 and len(tensor) == length


def _ragged(batch: Sequence[Any]) -> bool:
    """A list of examples of differing length is one input, not a pair."""
    tensors = [part for part in batch if isinstance(part, Tensor)]
    return len(batch) > 8 and len(tensors) == len(batch) and len({t.dim() for t in tensors}) == 1
