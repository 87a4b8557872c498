"""Every cause of the family on a tiny model: seen where the fault is, silent where it is mended.

Each body runs once, watched; a mended one must be free of every fault of the family.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sleuth import catalog
from sleuth.finding import FAULTS, Evidence
from sleuth.record.entries import Record, Trouble
from sleuth.record.questions import NotRecorded
from sleuth.record.token_entries import TokenBatch
from tests.language import scripts
from tests.language.tiny import HEAD
from tests.watching.recording import watched

FAMILY = {slug: cause for slug, cause in catalog.causes().items() if cause.family == "language"}

FROZEN = "[p.requires_grad_(False) for p in m.parameters()]; m.base_model.model.lm_head.requires_grad_(True)"
DISABLED = "m.base_model.disable_adapter_layers(); m.base_model.model.lm_head.requires_grad_(True)"
ALL_WORDS = 'sorted({word for pair in zip(QUESTIONS, ANSWERS) for word in " ".join(pair).split()})'
BROKEN = {
    "eos-not-trained: ignored with the padding": (
        "eos-not-trained",
        scripts.texts(labels=scripts.BY_ID, arguments='pad="</s>"'),
    ),
    "eos-not-trained: never appended": ("eos-not-trained", scripts.texts(end="")),
    "pad-in-loss": ("pad-in-loss", scripts.texts(labels="ids")),
    "loss-mask-wrong: first token of the answer": (
        "loss-mask-wrong",
        scripts.answered(label="[-100] * (len(prompt) + 1) + row[len(prompt) + 1:]"),
    ),
    "loss-mask-wrong: marker not found": (
        "loss-mask-wrong",
        scripts.answered(label=f"({scripts.LABEL}) if number % 2 else [-100] * len(row)"),
    ),
    "token-shift: twice": (
        "token-shift",
        scripts.shift("loss = m(input_ids=ids[:, :-1], labels=ids[:, 1:]).loss"),
    ),
    "token-shift: not at all": (
        "token-shift",
        scripts.shift("loss = F.cross_entropy(m(ids).logits.flatten(0, 1), ids.flatten())"),
    ),
    "special-tokens-doubled": (
        "special-tokens-doubled",
        scripts.texts(end="", arguments="add_ends=True").replace("[one for", '["<s>" + one for'),
    ),
    "truncation-cuts-answer": ("truncation-cuts-answer", scripts.cut(12)),
    "template-mismatch: no header": (
        "template-mismatch",
        scripts.answered(prompt="[tok.bos_token_id, USER] + tok(question).input_ids"),
    ),
    "template-mismatch: no beginning": (
        "template-mismatch",
        scripts.answered(prompt="[USER] + tok(question).input_ids + [BOT]"),
    ),
    "packing-contamination": ("packing-contamination", scripts.packed("len(position)", "")),
    "attention-mask-missing": ("attention-mask-missing", scripts.left("")),
    "attention-mask-missing: inverted": (
        "attention-mask-missing",
        scripts.left(", attention_mask=1 - mask"),
    ),
    "padding-side": ("padding-side", scripts.side("right")),
    "tokenizer-mismatch: unknown words": ("tokenizer-mismatch", scripts.words('["plus", "is"]')),
    "tokenizer-mismatch: another end": ("tokenizer-mismatch", scripts.answered(more=", eos_token_id=3")),
    "new-tokens-untrained": (
        "new-tokens-untrained",
        scripts.adapted(before=scripts.ADDED, new="[len(tok) - 1]"),
    ),
    "adapter-inert: frozen": (
        "adapter-inert",
        scripts.adapted(after=FROZEN),
    ),
    "adapter-inert: disabled": (
        "adapter-inert",
        scripts.adapted(after=DISABLED),
    ),
    "checkpointing-cuts-gradient": ("checkpointing-cuts-gradient", scripts.recomputed(True)),
    "half-precision-training": ("half-precision-training", scripts.half("torch.float16")),
}
SOUND = {
    "texts with their ends": scripts.texts(),
    "the pad token is the end token, and the mask is right": scripts.texts(arguments='pad="</s>"'),
    "answers alone": scripts.answered(),
    "prompts are trained as well": scripts.answered(label="row[:]"),
    "shifted by the model": scripts.shift("loss = m(input_ids=ids, labels=ids).loss"),
    "shifted by hand": scripts.shift(
        "loss = F.cross_entropy(m(ids).logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())"
    ),
    "one text longer than the others": scripts.cut(64, text="ANSWERS[step]"),
    "packed, and positions start again": scripts.packed("0", ", position_ids=torch.tensor(positions)"),
    "filled on the left, with a mask": scripts.left(", attention_mask=mask"),
    "prompts filled on the left": scripts.side("left"),
    "words that are known": scripts.words(ALL_WORDS),
    "adapters": scripts.adapted(),
    "new words that are trained": scripts.adapted(
        before=scripts.ADDED,
        new="[len(tok) - 1]",
        more=", trainable_token_indices=[len(tok) - 2, len(tok) - 1]",
    ),
    "checkpointing that keeps its gradient": scripts.recomputed(False),
    "float32": scripts.half("torch.float32"),
}


def faults(record: Record) -> list[Evidence]:
    found: list[Evidence] = []
    for slug, cause in FAMILY.items():
        try:
            found += catalog.ask("watch", record, {slug: cause})
        except NotRecorded:
            continue
    return [one for one in found if one.telling in FAULTS]


def run(folder: Path, body: str) -> Record:
    return watched(folder, HEAD + body, level="default").record


# A second form of a fault, and what is sound far from any fault, wait for the slow half of the suite.
SLOW = {
    "loss-mask-wrong: marker not found",
    "token-shift: not at all",
    "template-mismatch: no beginning",
    "attention-mask-missing: inverted",
    "tokenizer-mismatch: another end",
    "adapter-inert: disabled",
    "texts with their ends",
    "new words that are trained",
    "shifted by the model",
    "one text longer than the others",
    "shifted by hand",
    "packed, and positions start again",
    "words that are known",
    "adapters",
    "checkpointing that keeps its gradient",
    "float32",
    "prompts filled on the left",
    # Was not seen once in a run of the whole suite, and in fifteen runs alone always was: not understood yet.
    "half-precision-training",
}


def sorted_out(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [], id=name) for name in names]


@pytest.mark.parametrize("name", sorted_out(BROKEN))
def test_a_fault_is_seen(name: str, tmp_path: Path) -> None:
    slug, body = BROKEN[name]
    seen = faults(run(tmp_path, body))
    assert slug in {one.cause for one in seen}, [one.message for one in seen]


@pytest.mark.parametrize("name", sorted_out(SOUND))
def test_what_is_sound_is_left_alone(name: str, tmp_path: Path) -> None:
    assert [(one.cause, one.message) for one in faults(run(tmp_path, SOUND[name]))] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", scripts.ODD)
def test_what_is_odd_on_purpose_is_left_alone(name: str, tmp_path: Path) -> None:
    record = run(tmp_path, scripts.LOOP + scripts.ODD[name])
    assert record.of(TokenBatch)
    assert [one.text for one in record.of(Trouble)] == []
    assert [(one.cause, one.message) for one in faults(record)] == []


def test_every_cause_has_a_broken_script() -> None:
    assert {slug for slug, _ in BROKEN.values()} == set(FAMILY)
