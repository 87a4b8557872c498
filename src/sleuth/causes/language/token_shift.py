"""Predictions are compared with the wrong token: shifted twice, not at all, or backwards.

## What happens
A language model predicts the *next* token. Somebody has to shift: the data set (`x = ids[:-1]`,
`y = ids[1:]`), the loss, or the model. Causal models of transformers shift the labels they get. Who passes
labels that are shifted already trains the token after the next: the loss falls, more slowly and
to a higher level, and what is generated skips every other word. Who shifts nowhere trains a copy: position
t sees token t and is asked for token t. The loss falls towards zero and generation
repeats its last word for ever.

```python
batch["labels"] = ids[:, 1:]; batch["input_ids"] = ids[:, :-1]
loss = model(**batch).loss                       # the model shifts once more
```

The metric can be wrong alone: `argmax(logits) == labels` in `compute_metrics` compares unshifted.

## How to tell
- **watch**: targets, read from the gradient of the scores, are found among the inputs at one distance. It
  must be 1; 2 is a second shift, 0 a copy, below 0 the past.
- **refuted by**: nine of ten targets equal the token that follows the place of their prediction.

## How to fix
Shift in one place. With a model that shifts by itself the labels are the ids:

```python
loss = model(input_ids=ids, labels=ids).loss
loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())      # by hand
```
Masked models (BERT), encoders with a decoder, and models that copy on purpose compare in place.

## Often mistaken for
- `causal-leak`: the shift is right and the model sees ahead; the loss is as low.
- `labels-misaligned`: rows are exchanged, not places.
- `loss-mask-wrong`: a mask that is off by one; the targets themselves are right.

## Sources
- hf-glossary: "labels" and "causal language modeling", the model shifts by itself.
- vaswani-2017: section 3.1, the outputs of the decoder are offset by one position.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.record.token_reading import Reading, trained, where_fed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

FEWEST = 30  # targets: fewer may repeat by chance
SAID = {
    0: "the very token they are made from: the model learns to copy",
    -1: "the token before it: the shift goes the wrong way",
}


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        offset = _offset(seen)
        if offset is not None and offset != 1 and not seen.by_reward:
            yield from _shifted(seen, offset)


def _offset(seen: Reading) -> int | None:
    """The one distance of all batches, where it is one."""
    told = {batch.offset for batch in seen.judged}
    enough = sum(batch.trained or 0 for batch in seen.judged) >= FEWEST
    return next(iter(told)) if len(told) == 1 and enough else None


def _shifted(seen: Reading, offset: int) -> Iterator[Evidence]:
    telling = _telling(seen, offset)
    if telling is None:
        return
    agreement = min(batch.agreement for batch in seen.judged)
    what = SAID.get(offset, f"the token {offset} places ahead in place of the next: they are shifted twice")
    yield Evidence(
        f"Predictions are compared with {what} (true of {agreement:.0%} of the targets seen).",
        telling=telling,
        where=where_fed(seen.judged),
        numbers={"offset": offset, "agreement": agreement},
        fix=("Shift in one place only: the data set, the loss, or a model that shifts the labels it gets."),
    )


def _telling(seen: Reading, offset: int) -> Telling | None:
    """In place is how masked models compare, and how copies are made on purpose: only of a model that writes
    what follows it is a fault."""
    if offset:
        return "proven"
    copies = min(batch.copies for batch in seen.judged)
    if copies < 0.95 or any(
        batch.shape != batch.logits[:2] for batch in seen.judged if len(batch.logits) == 3
    ):
        return None
    return "proven" if seen.writes else None


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_shifts, scene.sources)


def _shifts(statement: "Statement") -> int | None:
    """Where labels are cut, or taken from the ids."""
    text = statement.text
    cut = "1:]" in text or ":-1]" in text or "roll(" in text
    if cut and ("label" in text or "target" in text):
        return 0
    if cut:
        return 1
    return 2 if "labels" in text and "=" in text else 3 if "cross_entropy(" in text else None
