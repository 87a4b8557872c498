"""Small questions about whatever a script passes around: which tensors are in it, and their statistics."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sleuth.record.entries import Values

MOST_VALUES = 1 << 18  # of one batch looked at
MOST_COUNTED = 100  # different integers worth a count each
SHORTEST = 4  # columns: fewer are a user and an item, not a text
COMMONEST = 16  # words: enough to know a text by, and few enough to keep with every batch
MOST_PARTS = 12


def tensors(item: Any, path: str = "", depth: int = 4) -> Iterator[tuple[str, Any]]:
    """All tensors inside nested lists, tuples and mappings, each with its path."""
    import torch

    if isinstance(item, torch.Tensor):
        yield path or "0", item
    elif depth and isinstance(item, Mapping):
        for key, part in item.items():
            yield from tensors(part, f"{path}.{key}" if path else str(key), depth - 1)
    elif depth and isinstance(item, (list, tuple)):
        for place, part in enumerate(item[:MOST_PARTS]):
            yield from tensors(part, f"{path}.{place}" if path else str(place), depth - 1)


def hands_off() -> Callable[[], bool]:
    """Tells whether torch is compiling, tracing or transforming: values cannot be read, and a look shows."""
    import torch

    compiling, tracing = torch.compiler.is_compiling, torch._C._get_tracing_state
    transforming = torch._C._are_functorch_transforms_active
    return lambda: compiling() or tracing() is not None or transforming()


def without_graph(item: Any) -> Any:
    """The same values, in the same nesting, that lead to no graph."""
    import torch

    if isinstance(item, torch.Tensor):
        return item if item.grad_fn is None else item.detach()
    if type(item) in (list, tuple):
        return type(item)(without_graph(part) for part in item)
    if type(item) is dict:
        return {key: without_graph(part) for key, part in item.items()}
    return item


def first_tensor(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The main input of a call: its first tensor with a batch axis."""
    import torch

    for part in args:
        if isinstance(part, torch.Tensor) and part.dim():
            return part
    for _, part in tensors([args, kwargs]):
        if part.dim():
            return part
    return None


def describe(path: str, tensor: Any, role: str = "") -> Values:
    """Statistics of one tensor of a batch; features are what is left without axis 0."""
    import torch

    about: dict[str, Any] = {
        "path": path,
        "shape": tuple(int(size) for size in tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "role": role,
    }
    if not tensor.numel() or tensor.is_meta or tensor.is_sparse or tensor.is_complex() or tensor.is_quantized:
        return Values(**about)
    with torch.no_grad():
        rows = _some(tensor.detach())
        if rows.is_floating_point():
            return Values(**about, **_measured(rows))
        return Values(**about, **_counted(rows), **_measured(rows))


def _some(tensor: Any) -> Any:
    """The first rows, as a matrix, so that no more than a bounded number of values is looked at."""
    rows = tensor.reshape(tensor.shape[0], -1) if tensor.dim() else tensor.reshape(1, 1)
    few = max(2, MOST_VALUES // max(1, rows.shape[1]))
    return rows[:few]


def _counted(rows: Any) -> dict[str, Any]:
    import torch

    values, times = torch.unique(rows, return_counts=True)
    counts = None
    if len(values) <= MOST_COUNTED:
        counts = {
            str(int(value)): int(count) for value, count in zip(values.tolist(), times.tolist(), strict=True)
        }
    return {"distinct": len(values), "counts": counts, **_commonest(rows, values, times)}


def _commonest(rows: Any, values: Any, times: Any) -> dict[str, Any]:
    """Of ids of words: the commonest, and what stands at the end of the rows."""
    in_a_row = rows.shape[1] == 1  # bags of words, end to end
    if rows.dtype.is_floating_point or len(values) < 3 or not (in_a_row or rows.shape[1] >= SHORTEST):
        return {}
    order = times.argsort(descending=True)[:COMMONEST]
    shares = (times[order].double() / rows.numel()).tolist()
    named = {str(int(value)): round(share, 4) for value, share in zip(values[order], shares, strict=True)}
    return {"common": named, "last": "" if in_a_row else str(int(rows[:, -1].mode().values))}


def _measured(rows: Any) -> dict[str, Any]:
    import torch

    rows = rows.double() if rows.dtype == torch.float64 else rows.float()
    finite = torch.isfinite(rows)
    bad = int(rows.numel() - finite.sum())
    if bad == rows.numel():
        return {"nonfinite": bad}
    if bad:
        rows = torch.where(finite, rows, rows[finite].mean())
    std, mean = torch.std_mean(rows, 0, correction=0)
    spread = std[std > 0]
    low, high = torch.aminmax(rows)
    return {
        "nonfinite": bad,
        "minimum": float(low),
        "maximum": float(high),
        "mean": float(rows.mean()),
        "std": float(rows.std(correction=0)),
        "constant_features": float((rows == rows[:1]).all(0).float().mean()) if len(rows) > 1 else 0.0,
        "largest_feature_mean": float(mean.abs().max()),
        "feature_std_ratio": float(spread.max() / spread.min()) if len(spread) else 1.0,
    }


def address_of(tensor: Any) -> int | None:
    """Where a tensor's numbers lie; None where they lie nowhere: on `meta`, and inside `vmap` or `grad`."""
    try:
        return int(tensor.data_ptr()) or None
    except (AttributeError, RuntimeError):
        return None
