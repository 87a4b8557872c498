"""The loss is not over what was meant: an answer is ignored, or its mask is off by one.

## What happens
In instruction tuning the prompt is ignored and the answer is trained. Which token is which is decided by a
mask that somebody computes: from the length of the prompt tokenized alone, from a marker such as
`### Answer:` searched among the ids, from the roles of a conversation. All of these go wrong in silence. A
marker in its context is tokenized otherwise than by itself, so it is not found, and the whole row is
ignored. The prompt alone has an end token, or a blank, that it does not have in front of the answer: the
mask is off by one, and the first token of every answer, the one that decides, is never learnt.

```python
n = len(tokenizer(prompt).input_ids)          # with an end token that the whole text has elsewhere
labels[:n] = -100                             # the answer's first token is gone
```

The loss falls all the same, on what is left.

## How to tell
- **watch**: rows without any token in the loss among others that have some; the loss that begins one token
  behind the place where prompts of `generate` end, or stops one token before the end of the row.
- **refuted by**: targets begin with the token after the prompt and end with the last one of the row.

## How to fix
Let positions decide, not a second tokenization: offsets of characters, or the prompt and the answer
tokenized apart and joined as ids.

```python
prompt = tokenizer(question).input_ids
answer = tokenizer(reply, add_special_tokens=False).input_ids + [tokenizer.eos_token_id]
ids, labels = prompt + answer, [-100] * len(prompt) + answer
```

Training on the prompt as well is a choice, not a fault. `sleuth tokens` shows what is trained, in text.

## Often mistaken for
- `labels-all-ignored`: every target of a whole batch is ignored; the loss is NaN or 0.
- `eos-not-trained`: only the end token is missing.
- `truncation-cuts-answer`: the mask is right and the answer lies beyond the limit.

## Sources
- trl-marker-issue: a blank at the end of the marker, whose tokens differ from those in the text.
- trl-sft: "Train on completion only" and "Train on assistant messages only".
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.token_reading import Reading, trained, where_fed
from sleuth.record.token_rows import Ids, before_targets, common, filled, real

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record
    from sleuth.record.token_entries import TokenRow

SOME = 0.1  # of the rows without a target: more than a few that were too long
FEWEST = 3  # rows that are compared token by token


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        if seen.next_token and not seen.by_reward:
            yield from _without_targets(seen)
            yield from _late(seen)
            yield from _short(seen)


def _without_targets(seen: Reading) -> Iterator[Evidence]:
    rows, empty = seen.rows(seen.judged), sum(batch.rows_untrained for batch in seen.judged)
    limit = max(batch.shape[1] for batch in seen.judged)
    at_limit = sum(batch.full_untrained for batch in seen.judged if batch.shape[1] == limit)
    empty -= at_limit  # those may have lost their answer to a limit of length
    if empty < max(2, SOME * rows):
        return
    yield Evidence(
        f"{empty} of {rows} training rows have no token in the loss, while the others have: their answer is "
        "ignored with their prompt.",
        telling="likely",
        where=where_fed(seen.judged),
        numbers={"rows": rows, "empty": empty},
        fix="Print the rows without a target: was the marker of the answer found among their tokens?",
    )


def _late(seen: Reading) -> Iterator[Evidence]:
    """The prompts that the model is given later tell where answers begin."""
    marker = _marker(seen)
    lengths = [_gap(row, first, marker) for row, first in _begins(seen)] if marker else []
    known = [gap for gap in lengths if gap is not None]
    if len(known) < FEWEST or len(set(known)) != 1 or known[0] == 0:
        return
    gap = known[0]
    what = (
        f"the first {gap} token{'s' * (gap > 1)} of every answer are not in the loss"
        if gap > 0
        else f"the last {-gap} token{'s' * (gap < -1)} of every prompt are trained as if they were answers"
    )
    yield Evidence(
        f"Where the prompts given to the model end, {what} (in all {len(known)} rows that could be "
        "compared): the "
        "mask is off.",
        telling="proven" if gap > 0 else "likely",
        where=where_fed(seen.judged),
        numbers={"gap": gap, "rows": len(known)},
        fix="Join the ids of prompt and answer in place of tokenizing both again, and mask by that length.",
    )


NEAR = 2  # tokens: farther off, another marker is meant


def _begins(seen: Reading) -> list[tuple[Ids, int]]:
    """Rows without their filling, and how many of their tokens stand before the first that is trained."""
    return [
        (real(row), len(context))
        for batch in seen.judged
        for row in batch.examples
        if row.head == row.length and (context := before_targets(row, batch.offset))
    ]


def _marker(seen: Reading) -> Ids:
    """What all prompts end with: a special token, or several others."""
    prompts = {real(row)[::-1] for batch in seen.batches("generate") for row in batch.examples}
    foot = common(prompts)[::-1] if len(prompts) > 1 else ()
    special = seen.vocabulary is not None and any(one in seen.vocabulary.special_ids for one in foot)
    return foot if special or len(foot) > 1 else ()


def _gap(row: Ids, first: int, marker: Ids) -> int | None:
    """How many tokens lie between the marker, at its nearest, and the first that is trained."""
    gaps = (first - at for at in range(len(marker), len(row) + 1) if row[at - len(marker) : at] == marker)
    return min((gap for gap in gaps if abs(gap) <= NEAR), key=abs, default=None)


def _short(seen: Reading) -> Iterator[Evidence]:
    """The last token of the rows is not trained, the one before it is, and it is no end token."""
    end = seen.vocabulary.specials.get("eos") if seen.vocabulary is not None else None
    rows = [row for batch in seen.judged for row in batch.examples if row.head == row.length]
    told = [_last_two(row, end) for row in rows]
    known = [one for one in told if one is not None]
    if len(known) < FEWEST or not all(known) or not any(batch.pad_right for batch in seen.judged):
        return
    yield Evidence(
        f"In all {len(known)} rows that were looked at the last token is not in the loss, and the one "
        "before it "
        "is: the mask ends one token early.",
        telling="likely",
        where=where_fed(seen.judged),
        numbers={"rows": len(known)},
        fix="Labels have the length of the ids; the shift by one is the model's, or the loss's, not both.",
    )


def _last_two(row: "TokenRow", end: int | None) -> bool | None:
    fill = filled(row)
    places = [at for at, one in enumerate(fill) if not one]
    if len(places) < 4 or row.ids[places[-1]] == end:
        return None
    return row.targets[places[-2]] is None and row.targets[places[-3]] is not None


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_masks, scene.sources)


def _masks(statement: "Statement") -> int | None:
    """Where labels are ignored."""
    text = statement.text
    if "-100" in text or "ignore" in text.lower():
        return 0 if "label" in text or "target" in text else 1
    return 2 if "completion" in text.lower() or "response_template" in text else None
