"""Turns a user's loss, however it is written, into one function: a tensor an axis in, a value a point out."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sleuth.errors import SleuthError, did_you_mean
from sleuth.loss_surface.axes import Axis

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Style = Literal["vectorised", "vmapped", "looped"]
STYLES: tuple[Style, ...] = ("vectorised", "vmapped", "looped")

ONE_TERM = "loss"  # the name of what a function returns when it returns no dict
TOTAL = "total"  # the sum of a dict's terms; a dict with this key brings its own
SHOULD = "It should return one value a point, or a dict of such terms, computed by torch from its inputs."

# Where on each axis the first calls are made: inside, unequal, and on no symmetric spot.
_PROBES = (0.137, 0.389, 0.613, 0.871, 0.271)
_ALONE = slice(2, 5, 2)  # the points that are tried again without the others; neither is an end of the range


@dataclass(frozen=True)
class Batched:
    """The loss as a function of 1-D tensors, one an axis. `style` is how the user's function is called."""

    name: str
    axes: tuple[Axis, ...]
    call: Callable[[Sequence["Tensor"]], dict[str, "Tensor"]]
    style: Style
    dtype: "torch.dtype"
    device: "torch.device"
    terms: tuple[str, ...]
    bytes_a_point: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The terms, and their sum where there are several; the last one is what is minimised."""
        if len(self.terms) > 1:
            return (*(term for term in self.terms if term != TOTAL), TOTAL)
        return self.terms

    def describe(self, point: Sequence[float]) -> str:
        return _call_text(self.name, self.axes, point)


@contextmanager
def guest() -> Iterator[None]:
    """Gradients on, whatever the caller chose, and the random stream left as it was."""
    import torch

    before = torch.get_rng_state()
    try:
        with torch.enable_grad():
            yield
    finally:
        torch.set_rng_state(before)


class _Unfit(Exception):
    """This way of calling the function does not work; the text says what happened at which call."""


def adapt(fn: Any, axes: Sequence[Axis], fixed: Mapping[str, Any], dtype: Any = None) -> Batched:
    """The first way of calling `fn` that gives one value a point: whole tensors, vmap, and last a loop."""
    import torch

    name = name_of(fn)
    keywords = _bind(fn, name, axes, fixed)
    device = _device(fn, keywords)
    trouble = ""
    # float64 sees the shape; a module with float32 weights may insist on its own precision.
    for precision in (dtype,) if dtype else (torch.float64, torch.float32):
        for style in STYLES:
            call = _styled(fn, [axis.name for axis in axes], keywords, style)
            try:
                with guest():
                    terms, size = _try(call, name, axes, style, precision, device)
            except _Unfit as error:
                trouble = trouble if trouble and precision == torch.float32 else str(error)
                continue
            return Batched(name, tuple(axes), call, style, precision, device, terms, size)
    raise SleuthError(f"{trouble} {SHOULD}")


def name_of(fn: Any) -> str:
    return getattr(fn, "__name__", None) or type(fn).__name__


def _bind(fn: Any, name: str, axes: Sequence[Axis], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """Check that the function takes exactly the names given, before it is called at all."""
    if not callable(fn):
        raise SleuthError(f"{fn!r} is not a function: give one that takes the axes and returns the loss.")
    inner = getattr(fn, "forward", fn)  # a module's __call__ takes (*args); its forward has the names
    try:
        parameters = inspect.signature(inner).parameters
    except (TypeError, ValueError):
        return dict(fixed)  # built in, without a signature: the first call will tell
    given = [*(axis.name for axis in axes), *fixed]
    if doubled := {word for word in given if given.count(word) > 1}:
        raise SleuthError(f"{doubled.pop()!r} is both an axis and held fixed; choose one.")
    takes = [
        word for word, one in parameters.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        for word in given:
            if word not in takes:
                raise SleuthError(
                    f"{name} takes ({', '.join(takes)}), not {word!r}.{did_you_mean(word, takes)}"
                )
    needs = [word for word in takes if parameters[word].default is inspect.Parameter.empty]
    if missing := [word for word in needs if word not in given]:
        raise SleuthError(f"{name} also needs {', '.join(missing)}: hold them fixed, or make one an axis.")
    for axis in axes:
        if axis.name in parameters and parameters[axis.name].annotation in (int, bool, "int", "bool"):
            raise SleuthError(
                f"{axis.name!r} is an integer axis ({name} says so): hold it fixed, or slice at some values."
            )
    return dict(fixed)


def _device(fn: Any, keywords: Mapping[str, Any]) -> "torch.device":
    import torch

    held = [fn, *keywords.values()]
    tensors = [item for item in held if isinstance(item, torch.Tensor)]
    for item in held:
        if isinstance(item, torch.nn.Module):
            tensors += [*item.parameters(), *item.buffers()]
    return tensors[0].device if tensors else torch.device("cpu")


def _styled(
    fn: Any, names: Sequence[str], keywords: Mapping[str, Any], style: Style
) -> Callable[[Sequence["Tensor"]], Any]:
    """The function of one tensor an axis, by the given style; its results are still unchecked."""
    import torch

    is_module = isinstance(fn, torch.nn.Module)

    def once(*inputs: "Tensor") -> Any:
        held = {key: _like(value, inputs[0]) for key, value in keywords.items()} if is_module else keywords
        result = fn(**dict(zip(names, inputs, strict=True)), **held)
        return dict(result) if isinstance(result, Mapping) else {ONE_TERM: result}

    def looped(*inputs: "Tensor") -> dict[str, "Tensor"]:
        rows = [once(*point) for point in zip(*(one.unbind() for one in inputs), strict=True)]
        for row in rows:
            for term, value in row.items():
                if not isinstance(value, torch.Tensor):
                    raise _Unfit(f"returned {_kind(value)} as {term!r}")
        return {term: torch.stack([row[term] for row in rows]) for term in rows[0]}

    if style == "vmapped":
        once = torch.vmap(once, randomness="different")
    way = looped if style == "looped" else once
    return lambda inputs: way(*inputs)


def _like(value: Any, pattern: "Tensor") -> Any:
    """A criterion wants tensors of one shape; a plain number held fixed becomes one."""
    if isinstance(value, float):
        return pattern.new_full(pattern.shape, value)
    return value


def whole(terms: Mapping[str, "Tensor"], name: str) -> "Tensor":
    """One term by name; the total is their sum unless the function brings its own."""
    if name in terms:
        return terms[name]
    first, *others = terms.values()
    for other in others:
        first = first + other
    return first


def _try(
    call: Callable[[Sequence["Tensor"]], dict[str, "Tensor"]],
    name: str,
    axes: Sequence[Axis],
    style: Style,
    dtype: "torch.dtype",
    device: "torch.device",
) -> tuple[tuple[str, ...], float]:
    """Call at a few points: the terms' names and the memory a point takes, or `_Unfit` with the reason."""
    import torch

    points = [
        tuple(axis.lo + axis.width * _PROBES[(row + 2 * column) % 5] for column, axis in enumerate(axes))
        for row in range(5)
    ]
    inputs = [
        torch.tensor(column, dtype=dtype, device=device, requires_grad=True)
        for column in zip(*points, strict=True)
    ]
    text = _call_text(name, axes, points[0])
    try:
        together, size = _weighed(call, inputs)
        alone = call([one[_ALONE] for one in inputs])
    except _Unfit as error:
        raise _Unfit(f"{text} {error}.") from None
    except Exception as error:
        raise _Unfit(f"{text} raised {type(error).__name__}: {_one_line(error)}.") from None
    if not together:
        raise _Unfit(f"{text} returned an empty dict.")
    for term, values in together.items():
        _check(term, values, len(points), text)
    if style == "vectorised" and not _pointwise(together, alone):
        raise _Unfit(f"{text} gives another value when other points stand beside it.")
    if not whole(together, TOTAL).requires_grad:
        raise SleuthError(
            f"{text} has no gradient: the result does not depend on "
            f"{' or '.join(axis.name for axis in axes)} "
            "through torch operations (look for detach, item, numpy, round, argmax or a comparison)."
        )
    return tuple(together), size / len(points)


def _weighed(call: Callable[[Sequence["Tensor"]], Any], inputs: Sequence["Tensor"]) -> tuple[Any, int]:
    """The result, and how many bytes autograd keeps for it: what a chunk of points will cost."""
    from torch.autograd.graph import saved_tensors_hooks

    sizes: dict[int, int] = {}

    def keep(tensor: "Tensor") -> "Tensor":
        sizes[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
        return tensor

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        result = call(inputs)
    return result, sum(sizes.values())


def _check(term: str, values: Any, points: int, text: str) -> None:
    import torch

    what = "" if term in (ONE_TERM, TOTAL) else f" as {term!r}"
    if not isinstance(values, torch.Tensor):
        raise _Unfit(f"{text} returned {_kind(values)}{what}.")
    if tuple(values.shape) not in ((points,), (points, 1)):
        shape = tuple(values.shape)[1:] if values.ndim > 1 and len(values) == points else tuple(values.shape)
        raise _Unfit(f"{text} returned a tensor of shape {shape}{what}, which is not one value a point.")
    if values.is_complex():
        raise _Unfit(f"{text} returned complex numbers{what}.")


def _pointwise(together: Mapping[str, "Tensor"], alone: Mapping[str, "Tensor"]) -> bool:
    """Whether a point's value is its own: the same with and without other points beside it."""
    import torch

    for term, values in together.items():
        few = alone.get(term)
        if not isinstance(few, torch.Tensor) or few.shape != values[_ALONE].shape:
            return False
        same = torch.equal(values[_ALONE], few)  # nearly always, and three times as quick to ask
        if not same and not torch.allclose(values[_ALONE], few, rtol=1e-4, atol=1e-9, equal_nan=True):
            return False
    return True


def _kind(value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"the plain number {value:g}, which carries no gradient"
    return f"{type(value).__name__}, not a tensor"


def _call_text(name: str, axes: Sequence[Axis], point: Sequence[float]) -> str:
    words = ", ".join(f"{axis.name}={value:.4g}" for axis, value in zip(axes, point, strict=True))
    return f"{name}({words})"


def _one_line(error: Exception) -> str:
    return (" ".join(str(error).split()) or "no message").rstrip(".")
