"""The modules that belong to a model, registered or kept in a plain list where torch cannot see them."""

from collections.abc import Iterator
from typing import Any

from torch import nn


def every_module(model: nn.Module) -> list[nn.Module]:
    """Registered modules first, then those hidden in lists, tuples and dicts of any of them."""
    found = {id(module): module for module in model.modules()}
    todo = list(found.values())
    while todo:
        for _, hidden in _hidden(todo.pop()):
            for module in hidden.modules():
                if id(module) not in found:
                    found[id(module)] = module
                    todo.append(module)
    return list(found.values())


def hidden_modules(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """Path and module of everything that forward may call and `model.parameters()` does not list."""
    registered = {id(module) for module in model.modules()}
    return [
        (f"{path}.{name}" if path else name, module)
        for path, owner in model.named_modules()
        for name, module in _hidden(owner)
        if id(module) not in registered
    ]


def module_names(model: nn.Module) -> dict[int, str]:
    """id of a module → its path; hidden ones too."""
    names = {id(module): path for path, module in hidden_modules(model)}
    for path, module in hidden_modules(model):
        names |= {id(part): f"{path}.{name}" if name else path for name, part in module.named_modules()}
    return names | {id(module): path for path, module in model.named_modules()}


def _hidden(owner: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    for name, value in vars(owner).items():
        if name.startswith("_") and name in ("_modules", "_parameters", "_buffers"):
            continue
        for key, item in _items(value):
            if isinstance(item, nn.Module):
                yield f"{name}{key}", item


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (list, tuple)):
        yield from ((f"[{index}]", item) for index, item in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", item) for key, item in value.items())
