"""The view as plain data: per model its examples token by token, the sums of each phase, where "
"prompts part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sleuth.record import token_rows
from sleuth.record.entries import Record
from sleuth.record.token_entries import (
    Adapters,
    Generation,
    LanguageModel,
    TokenBatch,
    TokenRow,
    TrainedTokens,
    Vocabulary,
)

PHASES = ("train", "eval", "generate")
BESIDE = 6  # tokens shown on either side of the place where two part


@dataclass(frozen=True)
class Token:
    """One place of a row. `trained`: this token is what a prediction is compared with."""

    place: int
    id: int
    text: str
    attended: bool | None = None
    position: int | None = None
    segment: int = 0
    trained: bool | None = None
    target: int | None = None  # what the prediction made here is compared with
    target_text: str = ""
    weight: float | None = None
    special: str = ""  # its role, "special" where it has none
    filling: bool = False


@dataclass(frozen=True)
class Example:
    """A row; `left_out` tokens of its middle are not kept, after `gap` of them."""

    phase: str
    n: int
    row: int
    line: int
    tokens: tuple[Token, ...]
    left_out: int = 0
    gap: int = 0


@dataclass(frozen=True)
class Sums:
    """What the batches of one phase hold together."""

    phase: str
    batches: int = 0
    rows: int = 0
    places: int = 0
    real: int = 0
    trained: int | None = None
    filling: int = 0
    filling_attended: int = 0
    filling_trained: int = 0
    unknown: int = 0
    rows_untrained: int = 0
    rows_ending_trained: int | None = None  # rows whose last token is trained
    rows_full: int = 0  # as long as the batch: cut at a limit, or the longest
    pushed_away: int = 0
    offset: int | None = None
    masked: bool = False
    specials: Mapping[str, int] = field(default_factory=dict)  # how it reads → places
    specials_trained: Mapping[str, int] = field(default_factory=dict)
    doubled: Mapping[str, int] = field(default_factory=dict)  # → rows
    end_trained: int | None = None  # times the end token is a target; None: no end token is known


@dataclass(frozen=True)
class Parting:
    """Where a prompt and what training feeds the same model part."""

    phase: str
    line: int
    same: int  # tokens they share from their beginning
    training: tuple[str, ...] = ()  # the tokens from there on
    prompt: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    ends: bool = False  # the prompt ends there: all of it agrees


@dataclass(frozen=True)
class Written:
    """A text the model wrote."""

    by: str
    line: int
    prompt: str
    output: str
    ended: bool | None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelView:
    """One model, as its tokens show it."""

    model: int
    type: str
    vocabulary: str = ""
    vocabulary_size: int | None = None
    embedding_rows: int = 0
    ids_trained: int | None = None
    adapters: str = ""
    sums: tuple[Sums, ...] = ()
    examples: tuple[Example, ...] = ()
    partings: tuple[Parting, ...] = ()
    written: tuple[Written, ...] = ()


@dataclass(frozen=True)
class View:
    """The whole page. `note`: why it shows less than one would like."""

    script: str = ""
    steps: int = 0
    models: tuple[ModelView, ...] = ()
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "sleuth.tokens/1", **_plain(asdict(self))}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def viewed(record: Record, most: int = 4, note: str = "") -> View:
    """A record as this page: of each model and phase as many examples."""
    models = dict.fromkeys(batch.model for batch in record.of(TokenBatch))
    return View(
        script=record.run.script,
        steps=len(record.steps),
        models=tuple(_of_model(record, model, most) for model in models),
        note=note,
    )


def _of_model(record: Record, model: int, most: int) -> ModelView:
    told = next((one for one in record.of(LanguageModel) if one.model == model), LanguageModel(model))
    seen = {phase: token_rows.batches(record, phase, model) for phase in PHASES}
    some = next((batch for found in seen.values() for batch in found if batch.vocabulary is not None), None)
    vocabulary = token_rows.vocabulary_of(record, some) if some is not None else None
    texts = _Texts(vocabulary, token_rows.texts_of(record, vocabulary.id if vocabulary else None))
    summed = next((one for one in record.of(TrainedTokens) if one.model == model), None)
    return ModelView(
        model=model,
        type=told.type,
        vocabulary=vocabulary.type if vocabulary is not None else "",
        vocabulary_size=vocabulary.size if vocabulary is not None else None,
        embedding_rows=told.embedding_rows,
        ids_trained=summed.distinct if summed is not None else None,
        adapters=_adapters(record, model),
        sums=tuple(sums(phase, found, texts) for phase, found in seen.items() if found),
        examples=tuple(_examples(seen, texts, most)),
        partings=tuple(_partings(seen, texts)),
        written=tuple(_written(record, model, texts, most)),
    )


@dataclass(frozen=True)
class _Texts:
    vocabulary: Vocabulary | None
    known: Mapping[int, str]

    def __call__(self, number: int | None) -> str:
        return "" if number is None else self.known.get(number, f"‹{number}›")

    def all(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(self(one) for one in numbers)

    def role(self, number: int) -> str:
        if self.vocabulary is None:
            return ""
        roles = [role for role, at in self.vocabulary.specials.items() if at == number]
        return "/".join(roles) or ("special" if number in self.vocabulary.special_ids else "")

    @property
    def end(self) -> int | None:
        return self.vocabulary.specials.get("eos") if self.vocabulary is not None else None


def _examples(seen: Mapping[str, list[TokenBatch]], texts: _Texts, most: int) -> Iterator[Example]:
    for phase, found in seen.items():
        rows = [(batch, row) for batch in found for row in batch.examples]
        yield from (_example(phase, batch, row, texts) for batch, row in rows[:most])


def _example(phase: str, batch: TokenBatch, row: TokenRow, texts: _Texts) -> Example:
    fill, segments = token_rows.filled(row), token_rows.segments(row)
    left_out = row.length - len(row.ids)

    def token(at: int) -> Token:
        number = row.ids[at]
        target = row.targets[at] if row.targets else None
        return Token(
            place=at if at < row.head else at + left_out,
            id=number,
            text=texts(number),
            attended=bool(row.attended[at]) if row.attended else None,
            position=row.positions[at] if row.positions else None,
            segment=segments[at],
            trained=_is_target(row, at, batch.offset) if row.targets else None,
            target=target,
            target_text=texts(target),
            weight=(row.weights[at] if row.weights else 1.0) if target is not None else None,
            special=texts.role(number),
            filling=fill[at],
        )

    tokens = tuple(token(at) for at in range(len(row.ids)))
    return Example(phase, batch.n, row.row, batch.line, tokens, left_out, row.head if left_out else 0)


def _is_target(row: TokenRow, at: int, offset: int | None) -> bool:
    """Whether a prediction is compared with this very token."""
    behind = at - (1 if offset is None else offset)
    inside = 0 <= behind < len(row.targets)
    return inside and row.targets[behind] is not None


def sums(phase: str, found: Sequence[TokenBatch], texts: _Texts) -> Sums:
    told = [batch for batch in found if batch.trained is not None]
    whole = [batch for batch in told if batch.offset is not None]
    end = texts.end
    offsets = {batch.offset for batch in told}
    ends = [batch.specials_trained.get(str(end), 0) for batch in told]
    return Sums(
        phase=phase,
        batches=len(found),
        rows=sum(batch.shape[0] for batch in found),
        places=sum(batch.shape[0] * batch.shape[1] for batch in found),
        real=sum(batch.shape[0] * batch.shape[1] - batch.pad_left - batch.pad_right for batch in found),
        trained=sum(batch.trained or 0 for batch in told) if told else None,
        filling=sum(batch.pad_left + batch.pad_right for batch in found),
        filling_attended=sum(
            batch.pad_attended if batch.masked else batch.pad_left + batch.pad_right for batch in found
        ),
        filling_trained=sum(batch.pad_trained for batch in told),
        unknown=sum(batch.unknown for batch in found),
        rows_untrained=sum(batch.rows_untrained for batch in told),
        rows_ending_trained=sum(batch.last_trained for batch in whole) if whole else None,
        rows_full=sum(batch.full for batch in found),
        pushed_away=sum(batch.pushed_away for batch in told),
        offset=offsets.pop() if len(offsets) == 1 else None,
        masked=any(batch.masked for batch in found),
        specials=_added(found, "specials", texts),
        specials_trained=_added(told, "specials_trained", texts),
        doubled=_added(found, "doubled", texts),
        end_trained=sum(ends) if told and end is not None else None,
    )


def _added(found: Sequence[TokenBatch], name: str, texts: _Texts) -> dict[str, int]:
    total: dict[str, int] = {}
    for batch in found:
        for number, count in getattr(batch, name).items():
            total[texts(int(number))] = total.get(texts(int(number)), 0) + count
    return total


def _partings(seen: Mapping[str, list[TokenBatch]], texts: _Texts) -> Iterator[Parting]:
    """Of the prompts of each phase but training, the one that agrees with a training row for longest."""
    rows = [token_rows.real(row) for batch in seen["train"] for row in batch.examples]
    for phase in PHASES[1:]:
        prompts = [(batch, token_rows.real(row)) for batch in seen[phase] for row in batch.examples]
        pairs = [(batch, prompt, token_rows.nearest(prompt, rows)) for batch, prompt in prompts]
        if rows and pairs:
            best = max(pairs, key=lambda pair: len(token_rows.common(pair[1:])))
            yield _parting(phase, *best, texts)


def _parting(
    phase: str, batch: TokenBatch, prompt: tuple[int, ...], row: tuple[int, ...], texts: _Texts
) -> Parting:
    same = len(token_rows.common([prompt, row]))
    return Parting(
        phase=phase,
        line=batch.line,
        same=same,
        training=texts.all(row[same : same + BESIDE]),
        prompt=texts.all(prompt[same : same + BESIDE]),
        before=texts.all(prompt[max(0, same - BESIDE) : same]),
        ends=same == len(prompt),
    )


def _written(record: Record, model: int, texts: _Texts, most: int) -> Iterator[Written]:
    for made in [one for one in record.of(Generation) if one.model == model][:most]:
        for row, output in zip(made.prompts[:1], made.outputs[:1], strict=False):
            ended = texts.end in output if texts.end is not None else None
            yield Written(
                made.by,
                made.line,
                "".join(texts.all(row.ids)),
                "".join(texts.all(output)),
                ended,
                dict(made.settings),
            )


def _adapters(record: Record, model: int) -> str:
    told = [one for one in record.of(Adapters) if one.model == model]
    if not told:
        return ""
    last = told[0]
    state = "merged" if last.merged else "disabled" if last.disabled else f"{', '.join(last.active)} active"
    return f"{last.modules} layers with adapters, {state}, {last.trainable} of {last.tensors} tensors train"
