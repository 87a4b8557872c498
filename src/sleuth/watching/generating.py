"""The doors of transformers' models: `generate` with its prompts and settings, and rows that are added."""

from typing import Any

from sleuth.record.token_entries import Resized, Setting
from sleuth.watching import tokens
from sleuth.watching.importing import when_imported
from sleuth.watching.state import State

# Of the settings of transformers: what decides where a text ends and how its words are chosen.
SETTINGS = (
    "max_new_tokens max_length min_new_tokens do_sample temperature top_k top_p num_beams repetition_penalty "
    "eos_token_id pad_token_id bos_token_id use_cache"
).split()


def attach(state: State, patches: Any) -> None:
    def watched(original: Any) -> Any:
        def generate(self: Any, *args: Any, **kwargs: Any) -> Any:
            door: tokens.Tokens = state.tokens
            if state.off or state.paused or door.off or door.generating:
                return original(self, *args, **kwargs)
            door.generating, door.prompted = 1, False
            try:
                output = original(self, *args, **kwargs)
            finally:
                door.generating = 0
            with tokens.guarded(state):
                _ended(state, self, args, kwargs, output)
            return output

        return generate

    def opened(module: Any) -> None:
        patches.replace(module.GenerationMixin, "generate", watched)

    when_imported(patches, "transformers.generation.utils", opened)

    def resizing(original: Any) -> Any:
        def resize_token_embeddings(self: Any, *args: Any, **kwargs: Any) -> Any:
            before = None if state.off else _rows(self)
            table = original(self, *args, **kwargs)
            after = None if state.off else _rows(self)
            if before is not None and after is not None and before != after:
                place = state.places.here()
                state.put(Resized(before, after, place[1], place[0], state.n))
            return table

        return resize_token_embeddings

    def loaded(module: Any) -> None:
        patches.replace(module.PreTrainedModel, "resize_token_embeddings", resizing)

    when_imported(patches, "transformers.modeling_utils", loaded)


def _rows(model: Any) -> int | None:
    try:
        return int(model.get_input_embeddings().weight.shape[0])
    except (AttributeError, NotImplementedError):
        return None


def _ended(state: State, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
    import torch

    call = state.tokens.last
    if call is None or not call.prompt:
        return
    found = getattr(output, "sequences", output)
    if isinstance(found, torch.Tensor) and found.dim() == 2 and not found.is_meta:
        whole = bool(getattr(getattr(model, "config", None), "is_encoder_decoder", False))
        # Given embeddings in place of ids, the model hands back the new tokens alone.
        whole = whole or found.shape[1] < call.ids.shape[1]
        new = found if whole else found[:, call.ids.shape[1] :]
        mask = kwargs.get("attention_mask")
        if isinstance(mask, torch.Tensor) and mask.shape == call.ids.shape:
            call.beside["attended"] = mask.detach().cpu().bool()
        call.generated = (new.detach().cpu(), _settings(model, args, kwargs), state.places.here())
    tokens.settle(state)


def _settings(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Setting]:
    """What holds for this call: given in it, in a configuration given to it, or set for the model."""
    given = kwargs.get("generation_config", args[1] if len(args) > 1 else None)
    found: dict[str, Setting] = {}
    for name in SETTINGS:
        options = (kwargs.get(name), getattr(given, name, None), _own(model, name))
        value = next((one for one in options if one is not None), None)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(value, (str, int, float, bool)):
            found[name] = value
        elif isinstance(value, list):
            found[name] = " ".join(map(str, value))
    return found


def _own(model: Any, name: str) -> Any:
    return getattr(getattr(model, "generation_config", None), name, None)
