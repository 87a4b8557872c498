"""Slopes that a script asks for by `torch.autograd.grad`, to move its weights by hand."""

from typing import Any

_PARAMETERS = ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph")


def read_request(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The one number whose slopes a call of `torch.autograd.grad` wants once and for all, or None.

    A slope that goes on into a loss, as in an equation's residual or a penalty, keeps its graph
    (`create_graph`) or weighs many outputs (`grad_outputs`).
    """
    given = {**dict(zip(_PARAMETERS, args, strict=False)), **keywords}
    outputs = given.get("outputs")
    loss = next(iter(outputs), None) if isinstance(outputs, (list, tuple)) else outputs
    if loss is None or given.get("grad_outputs") is not None or given.get("create_graph"):
        return None
    return loss if getattr(loss, "numel", int)() == 1 else None
