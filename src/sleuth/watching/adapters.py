"""The adapters that PEFT puts into a model: which are there, active, merged, and able to learn."""

import sys
from typing import Any

from sleuth.record.token_entries import Adapters

MOST_ZEROS = 64  # layers whose factors are looked at


def described(number: int, n: int, phase: str, module: Any) -> Adapters | None:
    """None where the script uses no such library, or this model holds none."""
    home = sys.modules.get("peft.tuners.tuners_utils")
    kind = getattr(home, "BaseTunerLayer", None)
    if kind is None:
        return None
    layers = [part for part in module.modules() if isinstance(part, kind)]
    wrapped = hasattr(module, "peft_config")
    if not layers and not wrapped:
        return None
    own, others = _parameters(module, layers)
    return Adapters(
        model=number,
        n=n,
        phase=phase,
        names=tuple(sorted({name for part in layers for name in _names(part)})),
        active=tuple(sorted({name for part in layers for name in _list(part, "active_adapters")})),
        merged=tuple(sorted({name for part in layers for name in _list(part, "merged_adapters")})),
        disabled=any(bool(getattr(part, "disable_adapters", False)) for part in layers),
        modules=len(layers),
        scaling=tuple(sorted({float(v) for part in layers for v in _scalings(part)})),
        trainable=sum(one.requires_grad for one in own),
        tensors=len(own),
        both_zero=sum(_dead(part) for part in layers[:MOST_ZEROS]),
        base_trainable=sum(one.requires_grad for one in others),
    )


def _list(layer: Any, name: str) -> list[str]:
    found = getattr(layer, name, ())
    return [found] if isinstance(found, str) else [str(one) for one in found]


def _parts(layer: Any) -> list[Any]:
    return [
        getattr(layer, name) for name in getattr(layer, "adapter_layer_names", ()) if hasattr(layer, name)
    ]


def _names(layer: Any) -> list[str]:
    return [str(name) for part in _parts(layer) if hasattr(part, "keys") for name in part]


def _scalings(layer: Any) -> list[float]:
    found = getattr(layer, "scaling", {})
    return [value for value in found.values() if isinstance(value, (int, float))]


def _parameters(module: Any, layers: list[Any]) -> tuple[list[Any], list[Any]]:
    own: dict[int, Any] = {}
    for layer in layers:
        for part in _parts(layer):
            for one in _tensors(part):
                own[id(one)] = one
    return [*own.values()], [one for one in module.parameters() if id(one) not in own]


def _tensors(part: Any) -> list[Any]:
    if hasattr(part, "parameters"):
        return [*part.parameters()]
    return [part] if hasattr(part, "requires_grad") else []


def _dead(layer: Any) -> bool:
    """Both factors of an adapter are zero: each is all that the other's gradient is made of."""
    first, second = getattr(layer, "lora_A", None), getattr(layer, "lora_B", None)
    if not first or not second:
        return False
    return any(
        name in second and not bool(first[name].weight.any()) and not bool(second[name].weight.any())
        for name in first
        if hasattr(first[name], "weight") and not first[name].weight.is_meta
    )
