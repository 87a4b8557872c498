"""Padding is attended: the mask was dropped, is all ones, or says the opposite.

## What happens
Rows of a batch are filled up, and the mask is what keeps the model from reading the filling. Without it
every token attends to pad tokens as if they were text. In a causal model with filling on the right that is
harmless, as nothing after a token is seen by it. With filling on the left it is not: all text is read
behind a stretch of noise, at positions that are off by its length. In an encoder it is wrong on either
side: the same sentence gives another result in another batch.

```python
ids = tokenizer(texts, padding=True, return_tensors="pt").input_ids
out = model.generate(ids)                                # the mask stays behind
```

An inverted mask is worse still: torch's `key_padding_mask` is True where a token is *hidden*, the
`attention_mask` of transformers is 1 where it is *seen*.

## How to tell
- **watch**: filling at the edge of rows while no mask was given, or a mask that covers it; text that the
  mask hides.
- **refuted by**: the mask is 0 exactly where there is filling; or filling stands on the right of a causal
  model.

## How to fix
```python
batch = tokenizer(texts, padding=True, return_tensors="pt")
out = model.generate(**batch)                            # ids and mask together
layer(x, src_key_padding_mask=ids == pad_id)             # torch: True hides
```
Where the pad token is the end token, a library cannot tell filling from text: pass it the mask.

## Often mistaken for
- `padding-side`: filling on a side that the model cannot take, mask or not.
- `batch-mixing`: rows change with their neighbours through the values; here through their length.
- `pad-in-loss`: filling is written, not read.

## Sources
- hf-glossary: "attention mask", 1 for what is attended and 0 for padding.
- pytorch-mha: `key_padding_mask`, True for keys that are ignored.
- hf-llm-tutorial: why left padding needs its mask in generation.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.token_reading import Reading, readings, where_fed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record
    from sleuth.record.token_entries import TokenBatch

SOME = 0.01  # of all places
PHASES = {"train": "In training", "eval": "In evaluation", "generate": "In the prompts given to the model"}


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in readings(record):
        for phase, where in PHASES.items():
            found = seen.batches(phase)
            evidence = _inverted(found, where) or _read(seen, found, where)
            if evidence is not None:
                yield evidence
                break


def _inverted(found: "list[TokenBatch]", where: str) -> Evidence | None:
    masked = [batch for batch in found if batch.masked and batch.attended is not None]
    text = sum(batch.shape[0] * batch.shape[1] - batch.pad_left - batch.pad_right for batch in masked)
    hidden = sum(batch.real_unattended for batch in masked)
    shown = sum(batch.attended or 0 for batch in masked)
    # It covers the filling and nothing else: other flags that are yes or no stand elsewhere.
    if not text or not shown or shown != sum(batch.pad_attended for batch in masked):
        return None
    return Evidence(
        f"{where} the mask hides {hidden} of {text} places that hold text ({hidden / text:.0%}): it says the "
        "opposite of what is meant.",
        telling="proven",
        where=where_fed(masked),
        numbers={"hidden": hidden, "text": text},
        fix="attention_mask is 1 where a token is seen; torch's key_padding_mask is True where it is hidden.",
    )


def _read(seen: Reading, found: "list[TokenBatch]", where: str) -> Evidence | None:
    """Filling that reaches text: on the left of anything, on the right of what looks both ways."""
    both_ways = (
        seen.model.causal is False and not seen.written and "is_encoder_decoder" in seen.model.settings
    )
    pad = seen.vocabulary.specials.get("pad") if seen.vocabulary is not None else None
    wrong = [batch for batch in found if batch.pad == pad is not None and _attended(batch, both_ways)]
    places = sum(batch.shape[0] * batch.shape[1] for batch in found)
    filling = sum(_attended(batch, both_ways) for batch in wrong)
    if filling < max(2, SOME * places):
        return None
    how = "the mask covers it" if wrong[0].masked else "no mask is given"
    side = "on the left " if wrong[0].pad_left else ""
    return Evidence(
        f"{where} {filling} places of filling {side}are attended like text ({how}), in {len(wrong)} of "
        f"{len(found)} batches.",
        telling="proven" if seen.model.causal is not None else "likely",
        where=where_fed(wrong),
        numbers={"filling": filling, "places": places},
        fix="Hand the attention mask of the tokenizer to the model together with the ids.",
    )


def _attended(batch: "TokenBatch", both_ways: bool) -> int:
    if batch.masked and not batch.pad_attended:
        return 0
    if any(len(shape) == 4 for shape in batch.given.values()):  # a mask of every place for every other
        return 0
    return batch.pad_left + (batch.pad_right if both_ways else 0)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_hands_in, scene.sources)


def _hands_in(statement: "Statement") -> int | None:
    """Where ids go in without their mask, or a mask is made."""
    text = statement.text
    if "mask" in text and ("==" in text or "~" in text or "ones_like" in text or "1 -" in text):
        return 0
    calls = "generate(" in text or "model(" in text
    if calls and "mask" not in text and "**" not in text:
        return 1
    return 2 if "input_ids" in text and "mask" not in text and calls else None
