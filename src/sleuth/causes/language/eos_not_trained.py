"""No prediction is ever compared with the end token, so generation does not stop.

## What happens
The loss falls, the answers are right, and then the model goes on: it repeats itself, invents the next
question, fills `max_new_tokens`. It was never shown where a text ends. Two ways lead there. Either no end
token was appended, because the tokenizer does not add one by itself (those of GPT-2 and Llama do not). Or
it was appended and taken out of the loss again: the pad token is the end token, and the collator ignores
everything that equals the pad token.

```python
tokenizer.pad_token = tokenizer.eos_token
collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)    # every end becomes -100
```

Sharing the two is no fault as such. It becomes one where labels are masked by *id* in place of by
attention. A model that knew endings before (an instruct model) forgets them only in part, which looks like
a decoding problem.

## How to tell
- **watch**: rows are single texts (they are filled up to one length), and among all targets of the loss,
  read from its gradient, the end token does not occur.
- **refuted by**: the end token, or another special token at the end of the rows, is a target.

## How to fix
Append the end token, and ignore filling by the attention mask.

```python
texts = [text + tokenizer.eos_token for text in texts]
batch = tokenizer(texts, padding=True, return_tensors="pt")
batch["labels"] = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
```

Or give the tokenizer a padding token of its own. Endless streams of text cut into blocks (pre-training)
have no ends to learn but those between documents: put one there.

## Often mistaken for
- `loss-mask-wrong`: other tokens of the answer are missing from the loss, too.
- `truncation-cuts-answer`: the end was there and lies beyond the length limit; only long rows lose it.
- `template-mismatch`: endings were learnt behind another prompt than the one used.

## Sources
- hf-pad-eos-issue: the description, every end token of the labels overwritten with -100.
- trl-pad-eos-issue: the same in a collator for completions, and what maintainers advise.
- radford-2019: section 2.1, documents of the training text are told apart by an end token.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.token_reading import Reading, trained, where_fed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

FEWEST = 8  # rows: fewer may all have been cut at the limit
MOSTLY = 0.8  # of the rows that share what they end with: another token stands for the end
INVITED_BY = {"pad_token\\s*=.*eos": 4.0}


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        if _are_texts(seen) and not _end_is_trained(seen) and not seen.by_reward:
            yield from _never(seen)


def _are_texts(seen: Reading) -> bool:
    """Rows that end by themselves: filled up, and not several texts in one."""
    filled = any(batch.pad_left + batch.pad_right for batch in seen.judged)
    packed = any(batch.segments or batch.ends_inside for batch in seen.judged)
    return seen.next_token and filled and not packed and seen.rows(seen.judged) >= FEWEST


def _ends(seen: Reading) -> set[int]:
    told = seen.vocabulary.specials.get("eos") if seen.vocabulary is not None else None
    configured = seen.model.settings.get("eos_token_id")
    return {int(one) for one in (told, configured) if isinstance(one, int)}


def _end_is_trained(seen: Reading) -> bool:
    """By the tokenizer's own end token or, as templates have it, by another special one."""
    special = seen.vocabulary.special_ids if seen.vocabulary is not None else ()
    targets: dict[int, int] = {}
    for batch in seen.judged:
        for one, times in batch.specials_trained.items():
            targets[int(one)] = targets.get(int(one), 0) + times
    if any(targets.get(end) for end in _ends(seen)):
        return True
    closing = {one: sum(batch.last_ids.get(str(one), 0) for batch in seen.judged) for one in special}
    return any(
        targets.get(one) and times >= MOSTLY * seen.rows(seen.judged) for one, times in closing.items()
    )


def _never(seen: Reading) -> Iterator[Evidence]:
    ends = _ends(seen)
    if not ends:
        return
    end = min(ends)
    rows, targets = seen.rows(seen.judged), sum(batch.trained or 0 for batch in seen.judged)
    there = sum(batch.ended for batch in seen.judged)
    shared = seen.vocabulary is not None and seen.vocabulary.specials.get("pad") == end
    how = _masked(there, rows, shared) if there else "it is not appended to the texts"
    asked = [one for one in seen.written if one.rows]
    stopped = sum(one.ended for one in asked)
    heard = f" {stopped} of {sum(one.rows for one in asked)} texts written came to an end." if asked else ""
    yield Evidence(
        f"Of {targets} targets in {rows} rows none is the end token {seen.text(end)}: {how}, so the "
        "model does "
        f"not learn to stop.{heard}",
        telling="proven" if there or (asked and not stopped) else "likely",
        where=where_fed(seen.judged),
        numbers={"rows": rows, "targets": targets, "rows_with_end": there},
        fix="Append the end token to each text, and ignore filling by the attention mask, not by its id.",
    )


def _masked(there: int, rows: int, shared: bool) -> str:
    why = ", as everything that equals the pad token, which is the same" if shared else ""
    return f"it ends {there} of the rows and is ignored in the loss{why}"


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    rank = _masks_ends if finding.numbers.get("rows_with_end") else _makes_texts
    return best_statement(rank, scene.sources)


def _masks_ends(statement: "Statement") -> int | None:
    """Where padding becomes the end token, or labels are masked by their id."""
    text = statement.text
    if "pad_token" in text and "eos_token" in text and "=" in text:
        return 0 if statement.targets.endswith(("pad_token", "pad_token_id")) else 1
    if "pad_token_id" in text and ("-100" in text or "masked_fill" in text):
        return 2
    return 3 if "DataCollatorForLanguageModeling(" in text else None


def _makes_texts(statement: "Statement") -> int | None:
    """Where texts become tokens."""
    text = statement.text
    if any(word in text for word in ("tokenizer(", "tok(", ".encode(", "apply_chat_template(")):
        return 0 if "generate" not in text and not statement.text.startswith("print") else 2
    return 1 if ".encode_batch(" in text or "encode(" in text else None
