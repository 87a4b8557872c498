"""What is given to `sleuth.stuck`, read and checked: metric, loss, the other terms, parameters."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError

if TYPE_CHECKING:
    from torch import Tensor

OWN = "loss"  # the name of the metric's own term when `terms` does not name it


@dataclass(frozen=True, eq=False)
class Case:
    """The metric with its graph, and everything that may hold it.

    `again` computes the metric once more, with the parameters as they are then; `only_once` says why it is
    missing.
    """

    metric: "Tensor"
    loss: "Tensor"
    loss_of: Callable[["Tensor"], "Tensor"] | None
    parameters: dict[str, "Tensor"]
    own: str
    rivals: dict[str, "Tensor"]
    again: Callable[[], "Tensor"] | None
    only_once: str = "needs metric as a function"

    def trainable(self) -> dict[str, "Tensor"]:
        return {name: tensor for name, tensor in self.parameters.items() if tensor.requires_grad}

    def measured(self) -> "Tensor":
        """The metric of the parameters as they are now, without a graph, flat and in double precision."""
        import torch

        assert self.again is not None
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # dropout and sampling must not look like an effect of the parameters
            return self.again().detach().double().reshape(-1)


def read_case(metric: Any, loss: Any, parameters: Any, terms: Any, own: str | None) -> Case:
    """Call what is callable once, and refuse what cannot be asked about, in one sentence."""
    import torch

    named = read_parameters(parameters)
    with torch.enable_grad():
        value = _tensor(metric() if callable(metric) else metric, "metric")
        if callable(metric) and isinstance(loss, torch.Tensor):
            raise SleuthError(
                "metric is a function and loss a tensor of another graph: give both as functions, or both "
                "as tensors."
            )
        loss_of = _of_metric(loss) if callable(loss) else None
        result = _single(loss_of(value) if loss_of else loss, "loss")
        others = {
            name: _single(_call(term, value), f"terms[{name!r}]") for name, term in dict(terms or {}).items()
        }
    _finite(value, "metric")
    _finite(result, "loss")
    name = own or _own_name(loss, result, dict(terms or {}), others)
    if own is not None and own not in others and others:
        raise SleuthError(f"own={own!r} is none of the terms ({', '.join(others)}).")
    rivals = {key: term for key, term in others.items() if key != name}
    return Case(value, result, loss_of, named, name, rivals, metric if callable(metric) else None)


def read_parameters(given: Any) -> dict[str, "Tensor"]:
    """A mapping, a module, or what `named_parameters()` gives."""
    import torch

    if isinstance(given, torch.nn.Module):
        given = given.named_parameters()
    try:
        named = dict(given)
    except (TypeError, ValueError):
        raise SleuthError(
            "parameters maps names to tensors: dict(model.named_parameters()) is one way."
        ) from None
    for name, tensor in named.items():
        if not isinstance(tensor, torch.Tensor):
            raise SleuthError(f"parameters[{name!r}] is {type(tensor).__name__}, not a tensor.")
    if not any(tensor.requires_grad for tensor in named.values()):
        raise SleuthError(
            "None of the parameters requires a gradient: there is nothing that training could move."
        )
    return named


@contextmanager
def restored(tensors: Mapping[str, "Tensor"], optimizer: Any = None) -> Iterator[None]:
    """Whatever happens inside, parameters, optimizer and random stream are afterwards what they were."""
    import copy

    import torch

    saved = {name: tensor.detach().clone() for name, tensor in tensors.items()}
    gradients = {name: tensor.grad for name, tensor in tensors.items()}
    state = copy.deepcopy(optimizer.state_dict()) if optimizer is not None else None
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        put(tensors, saved)
        for name, tensor in tensors.items():
            tensor.grad = gradients[name]
        if optimizer is not None:
            optimizer.load_state_dict(state)


def put(tensors: Mapping[str, "Tensor"], values: Mapping[str, "Tensor"]) -> None:
    """Write values into parameters behind autograd's back: graphs that were built before stay valid."""
    for name, tensor in tensors.items():
        tensor.data.copy_(values[name])


def gradients(value: "Tensor", tensors: Mapping[str, "Tensor"]) -> dict[str, "Tensor"]:
    """The gradient by every tensor that has one, zero where no path leads."""
    import torch

    if not value.requires_grad:
        return {name: torch.zeros_like(tensor) for name, tensor in tensors.items()}
    found = torch.autograd.grad(value, list(tensors.values()), retain_graph=True, allow_unused=True)
    return {
        name: torch.zeros_like(tensor) if grad is None else grad.detach()
        for (name, tensor), grad in zip(tensors.items(), found, strict=True)
    }


def flat(parts: Mapping[str, "Tensor"]) -> "Tensor":
    import torch

    return torch.cat([part.reshape(-1).double() for part in parts.values()])


def _of_metric(loss: Callable[..., Any]) -> Callable[["Tensor"], "Tensor"]:
    if _takes_one(loss):
        return loss
    return lambda _: loss()


def _call(term: Any, metric: "Tensor") -> Any:
    if not callable(term):
        return term
    return term(metric) if _takes_one(term) else term()


def _takes_one(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(
        (one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty)
        or one.kind is one.VAR_POSITIONAL
        for one in parameters
    )


def _own_name(loss: Any, result: "Tensor", given: Mapping[str, Any], terms: Mapping[str, "Tensor"]) -> str:
    """Which of the terms is the metric's own: the same object, or the same node of the graph."""
    for name, term in given.items():
        if term is loss:
            return name
    for name, tensor in terms.items():
        if tensor is result or (tensor.grad_fn is not None and tensor.grad_fn is result.grad_fn):
            return name
    return OWN


def _tensor(value: Any, what: str) -> "Tensor":
    import torch

    if not isinstance(value, torch.Tensor):
        raise SleuthError(
            f"{what} gave {type(value).__name__}; it should give a tensor with its graph, not a copy of its "
            "value."
        )
    if not (value.is_floating_point() or value.is_complex()) or not value.numel():
        raise SleuthError(
            f"{what} gave a tensor of {value.dtype} with {value.numel()} entries; it should give real "
            "numbers."
        )
    return value


def _single(value: Any, what: str) -> "Tensor":
    tensor = _tensor(value, what)
    if tensor.numel() != 1:
        raise SleuthError(
            f"{what} gave {tensor.numel()} values; it should give the one number that is minimised."
        )
    return tensor.reshape(())


def _finite(value: "Tensor", what: str) -> None:
    if not bool(value.detach().isfinite().all()):
        raise SleuthError(
            f"The {what} is not finite now; find the first value that is not before asking why it does "
            "not change."
        )
