"""Puts what the door of tokens saw into the record: batches, texts of tokens, what was written by a model."""

import os
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

from sleuth.record.token_entries import (
    Generation,
    Setting,
    TokenBatch,
    TokenRow,
    TokenTexts,
    TrainedTokens,
)
from sleuth.watching import token_rows
from sleuth.watching.state import State
from sleuth.watching.token_counts import Fed, counts, ranges
from sleuth.watching.tokens import Call, Tokens, guarded, settle
from sleuth.watching.vocabularies import Known, best

EXAMPLES, NO_TEXT = "SLEUTH_EXAMPLES", "SLEUTH_NO_TEXT"  # set for a script that is watched
FEW = 4  # rows
WITH_EXAMPLES = 3  # batches of a phase whose first rows are kept token by token
MOST_RANGES = 2048
MOST_OUTPUT = 256  # new tokens of a row that are kept


def door() -> Tokens:
    """A door as the user wants it: how many rows of a batch are kept, and whether their text is."""
    rows = os.environ.get(EXAMPLES, "")
    return Tokens(
        examples=int(rows) if rows.isdigit() else FEW, text=not os.environ.get(NO_TEXT), settle=write
    )


def write(state: State, call: Call) -> None:
    """One call, with what is known of it by now."""
    import torch

    door: Tokens = state.tokens
    known = vocabulary(state, call.entry.id, int(call.ids.max()), call.rows)
    fed, told_by = _put_together(call, known)
    phase = _phase(call)
    kept = door.examples if state.seldom(("examples", call.entry.id, phase), WITH_EXAMPLES) else 0
    examples = token_rows.examples(fed, kept)
    if phase == "train" and fed.targets is not None:
        values, times = fed.targets[fed.trained].unique(return_counts=True)
        ids = dict(zip(values.tolist(), times.tolist(), strict=True))
        door.trained.setdefault(call.entry.id, Counter()).update(ids)
        door.looked[call.entry.id] += 1
    tell_texts(state, known, _shown(examples))
    batch = TokenBatch(
        n=call.n,
        model=call.entry.id,
        phase=phase,
        line=call.place[1],
        path=call.place[0],
        shape=tuple(call.ids.shape),
        given=call.given,
        logits=call.logits,
        examples=examples,
        vocabulary=known.told.id if known is not None else None,
        masked=fed.attended is not None,
        seen_by=told_by,
        training=call.training,
        **counts(fed),
    )
    state.put(batch)
    if call.written:
        new = torch.stack(call.written, 1)
        _tell_generation(state, known, new, batch, "loop", {})
    elif call.generated is not None:
        new, settings, place = call.generated
        by_call = replace(batch, path=place[0], line=place[1])
        _tell_generation(state, known, new, by_call, "generate", settings)


def _phase(call: Call) -> str:
    if call.prompt or call.written:
        return "generate"
    reached = call.pulled is not None or (not call.logits and call.training)
    return "train" if call.gradients and reached else "eval"


def vocabulary(state: State, model: int, largest: int, rows: int) -> Known | None:
    """The tokenizer of a model: looked for until one is found."""
    door: Tokens = state.tokens
    if door.vocabularies.get(model) is None:
        known = door.vocabularies[model] = best(state, door.found, largest, rows)
        if known is not None and state.seldom(("vocabulary", known.told.id), 1):
            state.put(known.told)
    return door.vocabularies[model]


def _put_together(call: Call, known: Known | None) -> tuple[Fed, str]:
    """All that stands beside the ids; rows whose gradient was too large to look at are left out."""
    targets, weights, told_by = None, None, ""
    if call.pulled is not None:
        (targets, weights), told_by = call.pulled, "gradient"
    elif call.compared is not None:
        targets, told_by = call.compared, "loss"
    elif "labels" in call.beside and call.causal is not None and not call.logits:
        targets, told_by = token_rows.of_labels(call.beside["labels"], bool(call.causal)), "labels"
    rows = slice(0, len(targets)) if targets is not None else slice(None)
    specials = known.told.specials if known is not None else {}
    beside = {role: values[rows] for role, values in call.beside.items()}
    fed = Fed(
        ids=call.ids[rows],
        attended=beside.get("attended"),
        targets=targets,
        weights=weights,
        labels=beside.get("labels"),
        positions=beside.get("positions"),
        pad=specials.get("pad"),
        specials=known.told.special_ids if known is not None else (),
        unknown=specials.get("unk"),
        end=specials.get("eos"),
    )
    return fed, told_by


def _shown(examples: tuple[TokenRow, ...]) -> set[int]:
    inputs = {one for row in examples for one in row.ids}
    return inputs | {one for row in examples for one in row.targets if one is not None}


def tell_texts(state: State, known: Known | None, ids: set[int]) -> None:
    """How these ids read, each once."""
    door: Tokens = state.tokens
    if known is None or not door.text:
        return
    number = known.told.id
    new = {one for one in ids if (number, one) not in door.texts}
    door.texts |= {(number, one) for one in new}
    found = {str(one): text for one in sorted(new) if (text := known.text(one)) is not None}
    if found:
        state.put(TokenTexts(number, found))


def _tell_generation(
    state: State, known: Known | None, new: Any, batch: TokenBatch, by: str, settings: dict[str, Setting]
) -> None:
    end = settings.get("eos_token_id", known.told.specials.get("eos") if known is not None else None)
    ends = [int(one) for one in str(end).split()] if end is not None else []
    outputs = tuple(tuple(row[:MOST_OUTPUT]) for row in new[: state.tokens.examples].tolist())
    tell_texts(state, known, {one for row in outputs for one in row})
    state.put(
        Generation(
            n=batch.n,
            model=batch.model,
            line=batch.line,
            path=batch.path,
            by=by,
            settings=settings,
            prompts=batch.examples,
            outputs=outputs,
            rows=batch.shape[0],
            prompt_length=batch.shape[1],
            new_tokens=int(new.shape[1]),
            ended=sum(any(one in ends for one in row) for row in new.tolist()) if ends else 0,
            training=batch.training,
            pad_left=batch.pad_left,
            pad_right=batch.pad_right,
        )
    )


def finish(state: State) -> None:
    """At the end: what waits is settled, and what was trained is summed up."""
    door: Tokens = state.tokens
    if door.off or "torch" not in sys.modules:  # a process that did without it is not made to load it
        return
    with guarded(state):
        settle(state)
        for model, ids in door.trained.items():
            state.put(_summed_up(door, model, ids))


def _summed_up(door: Tokens, model: int, ids: Counter[int]) -> TrainedTokens:
    known = door.vocabularies.get(model)
    special = known.told.special_ids if known is not None else ()
    return TrainedTokens(
        model,
        door.looked[model],
        sum(ids.values()),
        len(ids),
        {str(one): ids[one] for one in special if ids[one]},
        ranges(ids, MOST_RANGES),
    )
