"""An adapter that cannot learn, or that is not applied where the model is used.

## What happens
Adapters are small additions to a frozen model. They do nothing when they are frozen themselves (a loop that
freezes "everything" after they were put in, or an adapter loaded for inference and trained on), when they
are disabled, when another adapter is the active one, and when both of their factors are zero: each is all
that the gradient of the other is made of, so neither ever moves. The loss may still fall a little where a
head is trained beside them. Or they learn well, and the text is written with them switched off: the score
is that of the model one began with.

```python
model = PeftModel.from_pretrained(base, path)             # is_trainable=False is the default
```

## How to tell
- **watch**: layers hold adapters of which no tensor asks for gradients; adapters that are disabled, or
  merged, while the model is trained; both factors zero; active in training, switched off in generation.
- **refuted by**: adapters take gradients, move, and are active wherever the model is used.

## How to fix
```python
model = PeftModel.from_pretrained(base, path, is_trainable=True)
model.print_trainable_parameters()                # right before training
model.enable_adapter_layers(); model.set_adapter("default")
```
LoRA starts with one factor at zero, on purpose; two are one too many.

## Often mistaken for
- `frozen-params`: other parameters that should learn and do not.
- `zero-init`: hand-written factors that both start at zero.
- `checkpointing-cuts-gradient`: adapters ask for gradients and none arrives.

## Sources
- peft-troubleshooting: "Bad results from a loaded PEFT model", and what to check when training does nothing.
- hu-2021: section 4.1, one factor is random and the other zero at the beginning.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.token_entries import Adapters
from sleuth.record.token_reading import Reading, readings, where_fed

if TYPE_CHECKING:
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "zero-init"


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in readings(record):
        for told in [one for one in seen.adapters if one.phase == "train"][:1]:
            said = _cannot_learn(told) or _not_applied(told) or _switched_off(seen)
            if said:
                yield _evidence(seen, told, *said)


def _cannot_learn(told: Adapters) -> tuple[str, str] | None:
    if told.tensors and not told.trainable:
        what = f"{told.modules} layers hold adapters; none of their {told.tensors} tensors asks for gradients"
        return what, "Load them with is_trainable=True, and freeze the base before adapters are put in."
    if told.both_zero:
        what = f"in {told.both_zero} layers both factors of the adapter are zero, so neither has a gradient"
        return what, "Leave one factor random, as the library makes it."
    return None


def _not_applied(told: Adapters) -> tuple[str, str] | None:
    if told.disabled:
        return "the adapters are disabled while the model is trained", "Call enable_adapter_layers()."
    if told.merged:
        return "the adapters are merged into the base while the model is trained", "Call unmerge_adapter()."
    if told.modules and not told.active:
        return "no adapter is the active one while the model is trained", "Call set_adapter(name)."
    return None


def _switched_off(seen: Reading) -> tuple[str, str] | None:
    """Preference losses ask the bare model for comparison, but nobody generates with it by intention."""
    off = [one for one in seen.adapters if one.phase == "generate" and (one.disabled or not one.active)]
    if not off or any(one.phase == "generate" and one not in off for one in seen.adapters):
        return None
    return "the text is written with the adapters switched off", "Generate outside of disable_adapter()."


def _evidence(seen: Reading, told: Adapters, what: str, fix: str) -> Evidence:
    return Evidence(
        f"{what[:1].upper()}{what[1:]}: what is trained is not what they would add.",
        telling="proven",
        where=where_fed(seen.train) or where_fed(seen.batches("generate")),
        numbers={"layers": told.modules, "tensors": told.tensors, "trainable": told.trainable},
        fix=fix,
    )
