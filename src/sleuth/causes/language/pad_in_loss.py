"""Padding counts in the loss: the model is trained to write it, and the mean is diluted.

## What happens
Rows of one batch are filled up to one length. Where that filling is not ignored, most predictions of short
rows have the pad token as their target. It is learnt within a few steps, the mean loss looks splendid, and
the gradient of the real text shrinks with every place of filling in the denominator. How much depends on
who shares the batch, so batches of unlike lengths weigh their words unlike. At generation the model may
stop early or write pad tokens.

```python
batch = tokenizer(texts, padding=True, return_tensors="pt")
loss = model(**batch, labels=batch["input_ids"]).loss           # filling is text like any other
```

By hand it is a mask that multiplies the loss but not its denominator, or `ignore_index` left out.

## How to tell
- **watch**: among the targets that pull at the scores some stand in the filling at the end, or the
  beginning, of rows; the one end token behind a text is not counted.
- **refuted by**: every target stands within the text of its row.

## How to fix
```python
labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)     # by hand
loss = (each * mask).sum() / mask.sum()                                                  # with a mask
```
Where the pad token is the end token, mask by attention: by id, the endings go, too.

## Often mistaken for
- `eos-not-trained`: the opposite mistake, masking too much.
- `class-imbalance`: one target outnumbers others as well; here it carries no text at all.
- `attention-mask-missing`: there filling is *read*; here it is *written*.

## Sources
- hf-glossary: "labels", the value -100 that the loss ignores.
- pytorch-cross-entropy: `ignore_index`, and the mean over the targets that are not ignored.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.token_reading import Reading, trained, where_fed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

MUCH = 0.02  # of all targets: below, it costs nothing


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        if seen.next_token:
            yield from _filling(seen)


def _filling(seen: Reading) -> Iterator[Evidence]:
    some = [batch for batch in seen.judged if batch.pad_trained]
    targets = sum(batch.trained or 0 for batch in seen.judged)
    padding, rows = sum(batch.pad_trained for batch in some), seen.rows(some)
    if padding <= rows or padding < MUCH * targets:
        return  # one a row may stand for its end
    yield Evidence(
        f"{padding} of {targets} targets in the loss ({padding / targets:.0%}) are filling "
        f"({seen.text(some[0].pad)}): "
        "the model is trained to write it, and the mean loss says less about the text.",
        telling="proven" if seen.vocabulary is not None and "pad" in seen.vocabulary.specials else "likely",
        where=where_fed(some),
        numbers={"padding": padding, "targets": targets, "share": padding / targets},
        fix="Set the labels of filling to -100 (by the attention mask), or pass ignore_index to the loss.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_makes_labels, scene.sources)


def _makes_labels(statement: "Statement") -> int | None:
    """Where labels are made of ids, or the loss is taken."""
    text = statement.text
    if "labels" in text and "input_ids" in text and ("=" in text) and "-100" not in text:
        return 0
    if "cross_entropy(" in text or "CrossEntropyLoss(" in text:
        return 1 if "ignore_index" not in text else None
    return 2 if "pad_sequence(" in text else None
