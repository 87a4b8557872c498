"""The prompt at inference is built otherwise than those in training.

## What happens
A tuned model answers well behind exactly the prompt it was tuned with, and worse the further another is
from it. Training and inference are mostly two pieces of code: one has the begin token, the other not; one
applies the chat template, the other writes the question alone; the marker of the answer (the generation
header) is missing at the end, so that the model first writes the marker; a blank follows `Answer:` here and
belongs to the first word there, which are different tokens. The score of such a model says little about
its training.

```python
train = f"<user>{question}<bot>{answer}"
prompt = f"<user>{question}"                     # the model was never asked to write "<bot>"
prompt = "Answer: "                              # and here the blank is a token of its own
```

## How to tell
- **watch**: all training rows begin alike, or have the same tokens right before what is trained, and the
  prompts given to the model begin or end otherwise.
- **refuted by**: prompts are what stands before the trained part of a row, token by token.

## How to fix
One function for both. With a chat template, the generation header is asked for:

```python
ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt")
```
`sleuth tokens` shows both side by side and the first token where they part.

## Often mistaken for
- `special-tokens-doubled`: the only difference is one special token too many.
- `preprocessing-mismatch`: training and *evaluation batches* differ; here it is text for generation.
- `eos-not-trained`: the answer begins well and does not stop.

## Sources
- hf-chat-templates: `add_generation_prompt`, and why a model needs the template it was trained with.
- hf-llm-tutorial: "Wrong prompt", a model that is asked without its template.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.record.token_reading import Reading, trained, where_fed
from sleuth.record.token_rows import Ids, common, frame, real

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

SHOWN = 6  # tokens of either side in the message
FEWEST_HEAD = 4  # plain tokens that all rows begin with: one or two may be a common word


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in trained(record):
        found = seen.batches("generate")
        prompts = {real(row) for batch in found for row in batch.examples}
        if prompts and seen.next_token and not seen.by_reward:
            known = frame(record, seen.model.model)
            evidence = _foot(seen, prompts, known.foot) or _head(seen, prompts, known.head)
            if evidence is not None:
                yield evidence


def _special(seen: Reading, ids: Ids) -> bool:
    return seen.vocabulary is not None and any(one in seen.vocabulary.special_ids for one in ids)


def _head(seen: Reading, prompts: set[Ids], head: Ids) -> Evidence | None:
    """What all training rows begin with."""
    if not head:
        return None
    same = max(len(common([prompt, head])) for prompt in prompts)
    missed = head[same:]
    if not missed or (not _special(seen, missed) and (len(head) < FEWEST_HEAD or same)):
        return None  # words alone that go on otherwise are another question, not another template
    telling: Telling = "proven" if _special(seen, missed[:1]) else "likely"
    prompt = max(prompts, key=lambda one: len(common([one, head])))
    return _evidence(seen, "begin", head[: same + SHOWN], prompt[: same + SHOWN], telling)


def _foot(seen: Reading, prompts: set[Ids], foot: Ids) -> Evidence | None:
    """What stands right before the first token that is trained, in all rows."""
    if not foot:
        return None
    back = foot[::-1]
    same = max(len(common([prompt[::-1], back])) for prompt in prompts)
    if same:
        return None
    prompt = min(prompts)
    telling: Telling = "proven" if _special(seen, foot[-1:]) or len(foot) > 1 else "likely"
    return _evidence(seen, "end", foot[-SHOWN:], prompt[-SHOWN:], telling)


def _evidence(seen: Reading, side: str, ours: Ids, theirs: Ids, telling: Telling) -> Evidence:
    what = "what stands before the trained part ends" if side == "end" else "every row begins"
    return Evidence(
        f"In training {what} with {_quoted(seen, ours)}; the prompts given to the model {side} with "
        f"{_quoted(seen, theirs)}: it is asked otherwise than it was taught.",
        telling=telling,
        where=where_fed(seen.batches("generate")),
        numbers={"side": side},
        fix=(
            "Build prompts with the function that builds training rows, up to and with the marker of "
            "the answer."
        ),
    )


def _quoted(seen: Reading, ids: Ids) -> str:
    words = [seen.text(one) for one in ids]
    plain = all(word[:1] in "'\"" for word in words)
    return repr("".join(word[1:-1] for word in words)) if plain else " ".join(words)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_prompts, scene.sources)


def _prompts(statement: "Statement") -> int | None:
    """Where prompts are put together."""
    text, targets = statement.text, statement.targets.lower()
    if "prompt" in targets or "prompt" in text.split("(")[0].lower():
        return 0
    if "generate(" in text and ("tokenizer(" in text or "tok(" in text or "encode(" in text):
        return 1
    return 2 if "generate(" in text else None
