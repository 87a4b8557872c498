"""What is known of a model that is fed tokens: its embedding, its head, what its configuration says."""

import inspect
from collections.abc import Mapping
from typing import Any

from sleuth.record.token_entries import LanguageModel, Setting
from sleuth.watching.models import unwrapped
from sleuth.watching.tensors import tensors

# Of a configuration of transformers: what decides how tokens are read.
SETTINGS = (
    "model_type vocab_size bos_token_id eos_token_id pad_token_id max_position_embeddings n_positions "
    "is_encoder_decoder is_decoder tie_word_embeddings use_cache num_labels problem_type"
).split()
PLAIN = (str, int, float, bool)


def looks_ids_up(module: Any) -> bool:
    """Whether it holds a table with a row for each id."""
    import torch

    return any(isinstance(part, torch.nn.Embedding) for part in module.modules())


def arguments(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors of a call by the names of the parameters they are given for."""
    import torch

    named: dict[str, Any] = {}
    for name, value in (*zip(_names(module, len(args)), args, strict=True), *kwargs.items()):
        if isinstance(value, torch.Tensor):
            named[name] = value
        elif isinstance(value, Mapping):
            named |= dict(tensors(value, depth=1))
    return named


def _names(module: Any, count: int) -> list[str]:
    if not count:
        return []
    try:
        known = [*inspect.signature(unwrapped(module).forward).parameters.values()]
    except (TypeError, ValueError):
        known = []
    named = [one.name for one in known if one.kind == one.POSITIONAL_OR_KEYWORD][:count]
    return [*named, *(str(place) for place in range(len(named), count))]


def hides_what_is_true(name: str) -> bool:
    """torch's own `key_padding_mask` says which places are left out, where others say which are seen."""
    return name.endswith("key_padding_mask")


def described(number: int, module: Any) -> LanguageModel:
    table, head = _table(module), _head(module)
    settings = _settings(getattr(module, "config", None))
    rows = int(table.weight.shape[0]) if table is not None else 0
    return LanguageModel(
        model=number,
        type=type(_base(module)).__name__,
        embedding_rows=rows,
        head_rows=int(head.weight.shape[0]) if head is not None else None,
        tied=head is not None and table is not None and head.weight is table.weight,
        embedding_trains=table is not None and bool(table.weight.requires_grad),
        causal=causal(module),
        checkpointing=any(getattr(part, "gradient_checkpointing", False) for part in module.modules()),
        settings=settings,
    )


def causal(module: Any) -> bool | None:
    """Whether transformers shifts its labels for it; None where that is not known."""
    base = _base(module)
    config = getattr(base, "config", None)
    if config is None or not hasattr(base, "loss_type"):
        return None
    if base.loss_type is not None:
        return bool(base.loss_type == "ForCausalLM")
    return _head(base) is not None and not getattr(config, "is_encoder_decoder", False)


def _base(module: Any) -> Any:
    """Below what PEFT and others put around it."""
    peeled = unwrapped(module)
    for _ in range(4):
        inner = getattr(peeled, "get_base_model", None)
        if not callable(inner) or (base := inner()) is peeled:
            break
        peeled = base
    return peeled


def _table(module: Any) -> Any:
    """The embedding of the tokens: as the model names it, else the one with the most rows."""
    import torch

    named = getattr(_base(module), "get_input_embeddings", None)
    if callable(named):
        try:
            found = named()
        except (NotImplementedError, AttributeError):
            found = None
        if getattr(found, "weight", None) is not None:
            return found
    tables = [part for part in module.modules() if isinstance(part, torch.nn.Embedding)]
    return max(tables, key=lambda part: int(part.num_embeddings), default=None)


def _head(module: Any) -> Any:
    named = getattr(_base(module), "get_output_embeddings", None)
    try:
        found = named() if callable(named) else None
    except (NotImplementedError, AttributeError):
        found = None
    weight = getattr(found, "weight", None)
    return found if weight is not None and weight.dim() == 2 else None


def _settings(config: Any) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for name in SETTINGS if config is not None else ():
        value = getattr(config, name, None)
        if isinstance(value, list) and value and isinstance(value[0], int):
            value = value[0]
        if isinstance(value, PLAIN):
            found[name] = value
    return found
