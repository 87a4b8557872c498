"""Words were added to the tokenizer and their rows in the embedding are never trained.

## What happens
A conversation needs `<user>` and `<bot>`, a task its own markers; they are added to the tokenizer and the
table of the model is resized. The new rows hold random numbers, or the mean of the others. Under adapters
everything but the adapters is frozen, the table with them: the new words stay what they were made as, and
the adapters have to learn around them. As long as the same process generates, some of it works; saved
without the table, the model has *other* random rows when it is loaded again.

```python
tokenizer.add_special_tokens({"additional_special_tokens": ["<user>", "<bot>"]})
model.resize_token_embeddings(len(tokenizer))
model = get_peft_model(model, LoraConfig(target_modules=["q_proj", "v_proj"]))    # the table is frozen
```

## How to tell
- **watch**: the table was given more rows, ids of these rows are among the inputs, and the table takes no
  gradient in training.
- **refuted by**: the table is trained, whole or in these rows, or none of the new ids occurs.

## How to fix
```python
LoraConfig(..., trainable_token_indices=new_ids)                          # these rows alone
LoraConfig(..., modules_to_save=["embed_tokens", "lm_head"])              # the whole table, saved as well
```
Or use words that the vocabulary has already (most have reserved ones).

## Often mistaken for
- `frozen-params`: parts that were meant to learn are frozen; here rows that were overlooked.
- `tokenizer-mismatch`: the table was not resized at all.
- `adapter-inert`: the adapters themselves do not learn.

## Sources
- peft-trainable-tokens: training single rows, and the note that the table must be resized before.
- hf-resize-embeddings: `resize_token_embeddings`, how new rows are initialised.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at
from sleuth.record.token_entries import Resized
from sleuth.record.token_reading import Reading, trained

if TYPE_CHECKING:
    from sleuth.record.entries import Record


def watch(record: "Record") -> Iterator[Evidence]:
    grown = [one for one in record.of(Resized) if one.after > one.before]
    for seen in trained(record):
        for one in grown:
            if one.after == seen.model.embedding_rows and not seen.model.embedding_trains:
                yield from _frozen(seen, one)


def _frozen(seen: Reading, grown: Resized) -> Iterator[Evidence]:
    used = [batch for batch in seen.train if batch.largest_id >= grown.before]
    if not used:
        return
    new = sorted({one for batch in used for row in batch.examples for one in row.ids if one >= grown.before})
    words = f" ({', '.join(seen.text(one) for one in new[:4])})" if new else ""
    yield Evidence(
        f"The embedding was given {grown.after - grown.before} new rows, their tokens{words} stand in "
        f"{len(used)} of "
        f"{len(seen.train)} training batches, and the embedding is frozen: they keep the numbers they "
        "were made "
        "with.",
        telling="proven",
        where=at(grown),
        numbers={"rows": grown.after - grown.before, "batches": len(used)},
        fix="Train these rows: trainable_token_indices of PEFT, or the embedding in modules_to_save.",
    )
