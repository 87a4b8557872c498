"""Prompts are filled up on the right, and the model goes on writing behind the filling.

## What happens
A decoder writes the token that follows the *last* place of its row. Prompts of unlike length in one batch
are filled up; on the right, where tokenizers put it for training, the short ones end in pad tokens, and the
model is asked what follows those. The longest prompt of each batch is answered well, the others get
something else, often nothing at all. Scores of an evaluation in batches are too low, and change with the
batch size. With a batch of one everything is right, which hides it.

```python
batch = tokenizer(prompts, padding=True, return_tensors="pt")      # padding_side is "right"
out = model.generate(**batch, max_new_tokens=32)
```

Encoders with a decoder take either side. Training does, too: there filling on the right is fine.

## How to tell
- **watch**: prompts given to a decoder have filling on their right.
- **refuted by**: filling on the left, all prompts of one length, or an encoder that reads them.

## How to fix
```python
tokenizer.padding_side = "left"
batch = tokenizer(prompts, padding=True, return_tensors="pt")
out = model.generate(**batch)                   # with the mask: positions are counted from it
answers = out[:, batch["input_ids"].shape[1]:]
```
By hand: take the scores at the last *real* place of each row, or write row by row.

## Often mistaken for
- `attention-mask-missing`: the side is right and the filling is read.
- `template-mismatch`: prompts differ from training even in a batch of one.
- `pad-in-loss`: pad tokens are written because they were trained.

## Sources
- hf-llm-tutorial: "Wrong padding side", with an example that is wrong and one that is right.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import at
from sleuth.record.token_reading import Reading, readings

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in readings(record):
        if not seen.model.settings.get("is_encoder_decoder"):
            yield from _on_the_right(seen)


def _on_the_right(seen: Reading) -> Iterator[Evidence]:
    wrong = [one for one in seen.written if one.pad_right > one.pad_left]
    if not wrong:
        return
    rows, places = sum(one.rows for one in wrong), sum(one.pad_right for one in wrong)
    yield Evidence(
        f"{len(wrong)} of {len(seen.written)} batches of prompts ({rows} rows) are filled up on the "
        "right, with "
        f"{places} places: what the model writes there follows the filling, not the prompt.",
        telling="proven",
        where=at(wrong[0]),
        numbers={"batches": len(wrong), "filling": places},
        fix='Set tokenizer.padding_side = "left" for prompts, and pass the attention mask.',
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_fills, scene.sources)


def _fills(statement: "Statement") -> int | None:
    """Where a side is chosen, or prompts are filled up."""
    text = statement.text
    if "padding_side" in text and "right" in text:
        return 0
    if "padding=" in text and "prompt" in text.lower():
        return 1
    return 2 if "generate(" in text else None
