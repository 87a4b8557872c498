"""The length limit removes what should be learnt: the end of the answer, or all of it.

## What happens
Rows are cut at `max_length`, from the right by default, and the right is where the answer stands. Long
prompts lose their answer entirely (nothing is left to train), medium ones lose its end, and the end token
with it. The model is then trained on answers that stop in the middle of a sentence, and learns endings from
short ones only. Default limits are smaller than people expect: 1024 tokens in the SFT trainer of TRL (1.16).

```python
batch = tokenizer(texts, truncation=True, max_length=128)       # a third of the rows are longer
```

## How to tell
- **watch**: rows as long as the longest batch ever gets, without filling, that do not end with the end
  token which shorter rows have; rows of that length without any target.
- **refuted by**: rows at the limit end with the end token, or the rows are blocks of one long text.

## How to fix
Look at the lengths before choosing the limit; drop what does not fit, or cut the prompt from the left.

```python
lengths = sorted(len(ids) for ids in tokenizer(texts).input_ids)
tokenizer.truncation_side = "left"               # the answer stays
```
Count the rows that are cut, and keep the end token when you cut on purpose.

## Often mistaken for
- `eos-not-trained`: no row at all has its end in the loss.
- `loss-mask-wrong`: rows without a target that are not at the limit.
- `labels-all-ignored`: when a whole batch is cut that way.

## Sources
- trl-sft: `max_length` and its default, tokens beyond it are cut.
- hf-glossary: the part on truncation and the longest input a model accepts.
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

FEWEST = 3  # rows that are cut: fewer are outliers
SOME, MANY = 0.05, 0.25  # of all rows
ENDED = 0.9  # of the rows that are not at the limit: they show how a text ends


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        if seen.next_token and not seen.by_reward:
            yield from _cut(seen)


def _cut(seen: Reading) -> Iterator[Evidence]:
    limit = max(batch.shape[1] for batch in seen.judged)
    at_limit = [batch for batch in seen.judged if batch.shape[1] == limit]
    if len(at_limit) < 2 or any(batch.ends_inside or batch.segments for batch in seen.judged):
        return
    rows, cut = seen.rows(seen.judged), sum(batch.cut for batch in at_limit)
    ended = sum(batch.ended for batch in seen.judged)
    others = rows - cut
    if cut < max(FEWEST, SOME * rows) or not others or ended < ENDED * others:
        return
    empty = sum(batch.rows_untrained for batch in at_limit)
    yield _evidence(seen, at_limit, limit, rows, cut, empty)


def _evidence(
    seen: Reading, at_limit: "list[TokenBatch]", limit: int, rows: int, cut: int, empty: int
) -> Evidence:
    lost = f" {empty} of them have nothing left in the loss." if empty else ""
    return Evidence(
        f"{cut} of {rows} training rows are exactly {limit} tokens long and do not end with the end "
        "token that "
        f"the others have: they are cut at the limit.{lost}",
        telling="likely" if cut >= MANY * rows or empty else "open",
        where=where_fed(at_limit),
        numbers={"rows": rows, "cut": cut, "limit": limit, "without_target": empty},
        fix=(
            "Raise max_length to the lengths there are, drop rows that do not fit, or cut prompts "
            "from the left."
        ),
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_limits, scene.sources)


def _limits(statement: "Statement") -> int | None:
    """Where a length is limited."""
    text = statement.text
    if "max_length" in text or "max_seq_length" in text or "model_max_length" in text:
        return 0 if "generate" not in text else 3
    return 1 if "truncation" in text else 2 if "[:" in text and "len" in text.lower() else None
