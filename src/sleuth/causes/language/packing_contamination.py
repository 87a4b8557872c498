"""Packed examples see one another, and positions run on from one to the next.

## What happens
Short examples are joined into rows of full length, so that nothing is wasted on filling. Unless attention
is told where each ends, the second example of a row reads the first, its positions begin in the middle, and
an answer can be copied from a neighbour. In pre-training, where documents are long and neighbours random,
that is customary and costs little. In tuning on short question-and-answer pairs the first example of a row
is trained as it will be used and all others are not.

```python
row = sum((tokenizer(text).input_ids + [tokenizer.eos_token_id] for text in texts), [])
blocks = [row[i : i + 1024] for i in range(0, len(row), 1024)]       # no boundary is kept
```

## How to tell
- **watch**: rows that begin again behind an end token, as they began, and parts of which are ignored in
  the loss (prompts: so these are examples, not a stream), while positions run through and no mask tells
  the examples apart.
- **refuted by**: positions that start again, a mask of every place for every other, or lengths handed to
  the attention.

## How to fix
```python
collator = DataCollatorWithFlattening()          # positions start again; with attention that reads them
args = SFTConfig(packing=True, ...)              # with attn_implementation="flash_attention_2"
mask = (segment[:, :, None] == segment[:, None, :]) & causal            # by hand
```
Check that the attention in use honours it: the plain one ignores `position_ids`.

## Often mistaken for
- `batch-mixing`: rows of a batch influence one another; here parts of one row do.
- `causal-leak`: the future is seen; here it is another example's past.
- `target-leakage`: a copied answer, but within the example.

## Sources
- krell-2021: section 3.2, adjusting the attention mask and the positions for packed sequences.
- hf-padding-free: where boundaries come from, and which models ignore `position_ids`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.token_reading import Reading, trained, where_fed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record
    from sleuth.record.token_entries import TokenBatch

MOSTLY = 0.5  # of the rows hold several examples
IGNORED = 0.1  # of the tokens: prompts, which a stream of text does not have


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        if seen.next_token and not seen.by_reward:
            yield from _packed(seen)


def _packed(seen: Reading) -> Iterator[Evidence]:
    rows = seen.rows(seen.judged)
    several = sum(batch.restarts for batch in seen.judged)
    if several < MOSTLY * rows or any(_told_apart(batch) for batch in seen.judged):
        return
    tokens = sum(
        batch.shape[0] * (batch.shape[1] - 1) - batch.pad_left - batch.pad_right for batch in seen.judged
    )
    ignored = 1 - sum(batch.trained or 0 for batch in seen.judged) / max(1, tokens)
    tuning = ignored >= IGNORED
    yield Evidence(
        f"{several} of {rows} rows hold several examples, and neither positions nor a mask tell them "
        "apart: each "
        "reads the ones before it.",
        telling="likely" if tuning else "aside",
        where=where_fed(seen.judged),
        numbers={"rows": rows, "several": several, "ignored": ignored},
        fix=(
            "Let positions start again at each example and use an attention that honours them, or a "
            "block mask."
        ),
    )


def _told_apart(batch: "TokenBatch") -> bool:
    """By positions, by a mask of places for places, or by lengths in a row of their own."""
    shapes = batch.given.values()
    return bool(batch.segments) or any(len(shape) in (1, 3, 4) for shape in shapes)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_joins, scene.sources)


def _joins(statement: "Statement") -> int | None:
    """Where examples are joined, or cut into blocks."""
    text = statement.text
    if "packing=True" in text:
        return 0
    if "eos_token_id" in text and ("+" in text or "extend(" in text or "append(" in text):
        return 1
    return 2 if "range(0," in text and ":" in text else None
