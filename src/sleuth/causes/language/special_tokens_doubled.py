"""The begin or end token stands twice: the template writes one, the tokenizer adds another.

## What happens
A chat template writes the begin token into its text. Whoever lets it make text and tokenizes that text
afterwards gets a second one, as tokenizers add theirs to whatever they are given. The same happens with a
hand-written `bos + prompt + eos` in front of a tokenizer that adds both. A model in whose training two
never stood together reads such a prompt worse than it could; one that was trained with two is read worse by
everybody who serves it with one. Nothing fails, and the text looks right, as special tokens are mostly not
shown.

```python
text = tokenizer.apply_chat_template(messages, tokenize=False)      # begins with <s>
ids = tokenizer(text).input_ids                                      # <s> <s> ...
```

## How to tell
- **watch**: rows, in training or in prompts, whose first two tokens are the same special token, or whose
  last two are, filling aside.
- **refuted by**: each of them stands once.

## How to fix
```python
ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True)        # in one step
ids = tokenizer(text, add_special_tokens=False).input_ids                        # or in two
```
What training had, serving must have, too: change both or neither.

## Often mistaken for
- `template-mismatch`: other parts of the prompt differ as well.
- `tokenizer-mismatch`: the special token itself is another.
- `packing-contamination`: an end and a beginning meet where two texts are joined; that is meant so.

## Sources
- trl-double-bos-issue: the conversation becomes text first and is tokenized with special tokens.
- hf-chat-templates: the note on special tokens, and `add_special_tokens=False`.
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

MOSTLY = 0.5  # of the rows
WHERE = {"train": "training rows", "eval": "rows of evaluation", "generate": "prompts"}


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in readings(record):
        yield from _doubled(seen)


def _doubled(seen: Reading) -> Iterator[Evidence]:
    for phase, name in WHERE.items():
        found = seen.batches(phase)
        rows = seen.rows(found)
        begins, ends = (sum(getattr(b, key) for b in found) for key in ("starts_twice", "ends_twice"))
        if rows and max(begins, ends) >= MOSTLY * rows:
            yield _evidence(seen, name, found, rows, begins, ends)
            return


def _evidence(
    seen: Reading, name: str, found: "list[TokenBatch]", rows: int, begins: int, ends: int
) -> Evidence:
    side, count = ("begin", begins) if begins >= ends else ("end", ends)
    edge = found[0].first_ids if side == "begin" else found[0].last_ids
    token = seen.text(int(max(edge, key=lambda one: edge[one]))) if edge else "a special token"
    return Evidence(
        f"{count} of {rows} {name} {side} with {token} twice: the template (or the text) has it, and "
        "the tokenizer "
        "adds it again.",
        telling="proven",
        where=where_fed(found),
        numbers={"rows": rows, "doubled": count},
        fix=(
            "Tokenize text that has its special tokens with add_special_tokens=False, or let the "
            "template tokenize."
        ),
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_adds, scene.sources)


def _adds(statement: "Statement") -> int | None:
    """Where special tokens are written into text, or text becomes tokens."""
    text = statement.text
    if ("bos_token" in text or "eos_token" in text or "<s>" in text) and "+" in text and "pad" not in text:
        return 0
    if "apply_chat_template(" in text and "tokenize=False" in text:
        return 1
    tokenizes = any(word in text for word in ("tokenizer(", "tok(", "encode("))
    return 2 if tokenizes and "add_special_tokens=False" not in text else None
