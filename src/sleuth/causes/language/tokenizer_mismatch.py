"""Tokenizer and model do not belong together: unknown words, other special ids, other sizes.

## What happens
Ids mean nothing by themselves: row 50256 of the embedding is the end of a text only if the tokenizer says
so. A tokenizer of another model, of another version of it, or trained on other data (a vocabulary from
`set(text)`, whose order changes from run to run) gives ids that fit the table and mean something else. A
vocabulary that lacks the words of the data turns them into the unknown token: what is left carries little
of the text, and the loss is low because "unknown" is easy to predict. Special ids are kept in three places
(tokenizer, model configuration, generation configuration) that can disagree.

```python
tokenizer = AutoTokenizer.from_pretrained("model-a")
model = AutoModelForCausalLM.from_pretrained("model-b")
```

## How to tell
- **watch**: a large share of unknown tokens among the inputs; a tokenizer that can give more ids than the
  embedding has rows; an end token that is trained and is not the one at which generation stops.
- **refuted by**: hardly any unknown token, a table with a row for each id, one and the same end token.

## How to fix
Load both from one place, and build a vocabulary once, sorted, and save it with the model.

```python
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name)
model.generation_config.eos_token_id = tokenizer.eos_token_id
model.resize_token_embeddings(len(tokenizer))          # after adding words
```

## Often mistaken for
- `preprocessing-mismatch`: training and evaluation use different vocabularies; here tokenizer and model do.
- `new-tokens-untrained`: the words were added on purpose and their rows are random.
- `special-tokens-doubled`: the right token, twice.

## Sources
- hf-resize-embeddings: the method that gives the table a row for each id.
- hf-llm-tutorial: the end token at which generation stops, and where it is set.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import at
from sleuth.record.token_reading import Reading, readings, where_fed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

FLOOD, MANY = 0.4, 0.15  # of the tokens are unknown: natural text leaves one in a hundred or so
FEWEST = 100  # tokens


def watch(record: "Record") -> Iterator[Evidence]:
    for seen in readings(record):
        if seen.vocabulary is not None:
            yield from _unknown(seen)
            yield from _too_small(seen)
            yield from _other_end(seen)


def _unknown(seen: Reading) -> Iterator[Evidence]:
    tokens = sum(b.shape[0] * b.shape[1] - b.pad_left - b.pad_right for b in seen.train)
    unknown = sum(batch.unknown for batch in seen.train)
    if tokens < FEWEST or unknown < MANY * tokens:
        return
    yield Evidence(
        f"{unknown / tokens:.0%} of the {tokens} tokens the model is trained on are the unknown token: the "
        "tokenizer does not know the words of this text.",
        telling="proven" if unknown >= FLOOD * tokens else "likely",
        where=where_fed(seen.train),
        numbers={"unknown": unknown, "tokens": tokens},
        fix="Look at what is unknown (case, accents, language?); use the model's own tokenizer, or train one "
        "on this text.",
    )


def _too_small(seen: Reading) -> Iterator[Evidence]:
    known, rows = seen.vocabulary, seen.model.embedding_rows
    if known is None or not rows or known.size <= rows:
        return
    yield Evidence(
        f"The tokenizer can give {known.size} ids and the embedding has {rows} rows: the first text "
        "with one of "
        "the others ends in an index error, or reads another row.",
        telling="likely" if max(known.special_ids, default=0) >= rows else "open",
        where=at(known),
        numbers={"ids": known.size, "rows": rows},
        fix="Load tokenizer and model from the same place; after adding words call resize_token_embeddings.",
    )


def _other_end(seen: Reading) -> Iterator[Evidence]:
    """Trained with one end token, stopped at another."""
    end = seen.vocabulary.specials.get("eos") if seen.vocabulary is not None else None
    taught = sum(batch.specials_trained.get(str(end), 0) for batch in seen.judged)
    for made in seen.written:
        given = made.settings.get("eos_token_id")
        stops = [int(one) for one in str(given).split()] if given is not None else []
        if end is None or not taught or not stops or end in stops:
            continue
        yield Evidence(
            f"Training teaches the end token {seen.text(end)} ({end}), and generation stops at "
            f"{', '.join(map(str, stops))}: a text that has come to its end goes on.",
            telling="proven",
            where=at(made),
            numbers={"taught": end, "stops_at": stops[0]},
            fix="Set model.generation_config.eos_token_id to the tokenizer's end token.",
        )
        return


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_makes, scene.sources) if "unknown" in finding.numbers else None


def _makes(statement: "Statement") -> int | None:
    """Where the tokenizer comes from."""
    text = statement.text
    if "Tokenizer" in text and ("from_pretrained(" in text or "from_file(" in text):
        return 0
    return 1 if "okenizer" in statement.targets or "vocab" in statement.targets else None
