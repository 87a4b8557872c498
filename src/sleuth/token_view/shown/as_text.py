"""The token's-eye view on a terminal. What is trained, ignored or filling shows without colour, too."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from sleuth.show.colour import Paint
from sleuth.token_view.view import Example, ModelView, Parting, Sums, Token, View, Written

LEGEND = "⟦trained⟧ · ignored · «special» · ␣ filling (×count) · ~not attended~"
MOST_ROWS = 24  # of the table of one example
WIDTH = 100
TITLES = {"train": "training", "eval": "evaluation", "generate": "generation"}
BLANKS = {"\n": "⏎", "\t": "⇥", "\r": "␍"}


def page(view: View, colour: bool = False, tables: int = 1) -> str:
    paint = Paint(colour)
    parts = [part for model in view.models for part in _model(model, paint, tables)]
    if view.note:
        parts.append(view.note)
    return "\n".join(parts)


def brief(view: View) -> str:
    lines = [f"{TITLES[one.phase]}: {_shares(one)}" for model in view.models for one in model.sums]
    return "\n".join([*lines, *([view.note] if view.note else [])])


def _model(model: ModelView, paint: Paint, tables: int) -> Iterator[str]:
    yield paint(_head(model), bold=True)
    for one in model.sums:
        yield f"\n{paint(TITLES[one.phase], bold=True)}: {_shares(one)}"
        yield from (f"  {line}" for line in _details(one))
    for phase, examples in groupby(model.examples, key=lambda example: example.phase):
        yield f"\n{paint(TITLES[phase], bold=True)}, as the model is fed it   {paint(LEGEND, dim=True)}"
        for number, example in enumerate(examples):
            yield from _example(example, paint, table=number < tables and phase == "train")
    for parting in model.partings:
        yield "\n" + _parting(parting, paint)
    for written in model.written:
        yield "\n" + _written(written, paint)


def _head(model: ModelView) -> str:
    words = f"{model.vocabulary} of {model.vocabulary_size} ids" if model.vocabulary else "no tokenizer found"
    parts = [model.type, words, f"{model.embedding_rows} embedding rows"]
    if model.ids_trained is not None:
        parts.append(f"{model.ids_trained} different ids trained")
    return " · ".join([*parts, *([model.adapters] if model.adapters else [])])


def _shares(one: Sums) -> str:
    parts = [f"{one.batches} batches, {one.rows} rows, {one.real} tokens"]
    if one.trained is not None:
        parts.append(f"{one.trained / max(1, one.real):.0%} trained")
    parts.append(f"{one.filling / max(1, one.places):.0%} of places filling")
    if one.unknown:
        parts.append(f"{one.unknown / max(1, one.real):.1%} unknown")
    return " · ".join(parts)


def _details(one: Sums) -> Iterator[str]:
    if one.offset is not None:
        ahead = {0: "the token it is fed", 1: "the next token"}.get(
            one.offset, f"the token {one.offset} ahead"
        )
        yield f"each prediction is compared with {ahead}"
    elif one.trained:
        yield "the targets do not stand among the inputs at one distance"
    if one.end_trained is not None and one.trained:
        yield (
            f"end of text is a target {one.end_trained} times"
            if one.end_trained
            else ("end of text is never a target")
        )
    if one.filling_trained:
        yield f"{one.filling_trained} places of filling are in the loss"
    if one.filling and one.filling_attended:
        yield f"{one.filling_attended} of {one.filling} places of filling are attended"
    if one.rows_untrained:
        yield f"{one.rows_untrained} of {one.rows} rows have no token in the loss"
    if one.pushed_away:
        yield f"{one.pushed_away} places are pushed away from their target (a weight below 0)"
    if one.rows_ending_trained is not None and one.rows_ending_trained < one.rows:
        yield f"the last token of a row is trained in {one.rows_ending_trained} of {one.rows} rows"
    for word, rows in one.doubled.items():
        yield f"{_shown(word)} stands twice in a row in {rows} of {one.rows} rows"


def _example(example: Example, paint: Paint, table: bool) -> Iterator[str]:
    place = f"line {example.line}, " if example.line else ""
    yield paint(f"  step {example.n}, {place}row {example.row}, {len(example.tokens)} tokens", dim=True)
    yield from (f"  {line}" for line in _lines(_ribbon(example, paint)))
    if table:
        yield from (f"    {line}" for line in _table(example.tokens, paint))


def _ribbon(example: Example, paint: Paint) -> list[tuple[str, int]]:
    """The row as text, in pieces that belong together, each with its width."""
    pieces = []
    for (trained, filling, attended), run in groupby(example.tokens, key=_state):
        tokens = list(run)
        if filling:
            text = f"␣×{len(tokens)}"
            text = f"⟦{text}⟧" if trained else text
            pieces.append((paint(text, fg="red" if trained else None, dim=not trained or None), len(text)))
            continue
        opened, closed = ("⟦", "⟧") if trained else ("", "")
        if attended is False:
            opened, closed = f"~{opened}", f"{closed}~"
        words = [_shown(one.text, one.special) for one in tokens]
        words[0], words[-1] = f"{opened}{words[0]}", f"{words[-1]}{closed}"
        for word, one in zip(words, tokens, strict=True):
            colour = "magenta" if one.special else "green" if trained else None
            pieces.append((paint(word, fg=colour, dim=None if trained or one.special else True), len(word)))
    return pieces


def _lines(pieces: Sequence[tuple[str, int]]) -> Iterator[str]:
    """As many pieces on a line as fit."""
    line, used = "", 0
    for piece, width in pieces:
        if used and used + width > WIDTH:
            yield line
            line, used = "", 0
        line, used = line + piece, used + width
    yield line


def _state(token: Token) -> tuple[bool, bool, bool | None]:
    return bool(token.trained), token.filling, token.attended


def _shown(text: str, special: str = "") -> str:
    for blank, sign in BLANKS.items():
        text = text.replace(blank, sign)
    text = "".join(letter if letter.isprintable() else "�" for letter in text)
    return f"«{text}»" if special else text


def _table(tokens: Sequence[Token], paint: Paint) -> Iterator[str]:
    yield paint("place     id  text            att  pos  seg  trained  compared with    weight", dim=True)
    shown = [token for token in tokens if not token.filling]
    cut = len(shown) > MOST_ROWS
    head = shown[: MOST_ROWS // 2] if cut else shown
    tail = shown[-MOST_ROWS // 2 :] if cut else []
    yield from (_line(token, paint) for token in head)
    if cut:
        yield paint(f"  ... {len(shown) - len(head) - len(tail)} more", dim=True)
    yield from (_line(token, paint) for token in tail)
    if filling := [token for token in tokens if token.filling]:
        yield _line(filling[0], paint) + paint(f"   ×{len(filling)} filling", dim=True)


def _line(token: Token, paint: Paint) -> str:
    attended = {True: "yes", False: "no", None: "-"}[token.attended]
    trained = {True: "yes", False: "", None: "?"}[token.trained]
    position = "-" if token.position is None else str(token.position)
    target = _shown(token.target_text) if token.target is not None else ""
    weight = "" if token.weight is None else f"{token.weight:.3g}"
    text = _shown(token.text, token.special)
    line = (
        f"{token.place:5} {token.id:6}  {text[:15]:15} {attended:>4} {position:>4} {token.segment:>4}  "
        f"{trained:7}  {target[:15]:15}  {weight}"
    )
    return paint(line.rstrip(), fg="green" if token.trained else None)


def _parting(parting: Parting, paint: Paint) -> str:
    title = f"{TITLES[parting.phase]} (line {parting.line}) beside training"
    if parting.ends:
        return (
            f"{paint(title, bold=True)}: the prompt agrees with a training row in all its "
            f"{parting.same} tokens"
        )
    before = "".join(map(_shown, parting.before))
    return "\n".join(
        [
            f"{paint(title, bold=True)}: the first {parting.same} tokens agree, then they part",
            f"  training: {before}{paint('│', fg='yellow')}{''.join(map(_shown, parting.training))}",
            f"  {parting.phase:8}: {before}{paint('│', fg='yellow')}{''.join(map(_shown, parting.prompt))}",
        ]
    )


def _written(written: Written, paint: Paint) -> str:
    ending = {True: "ends with the end token", False: "does not end by itself", None: ""}[written.ended]
    settings = ", ".join(f"{name}={value}" for name, value in written.settings.items())
    title = paint(f"written (line {written.line})", bold=True)
    about = "; ".join(part for part in (ending, settings) if part)
    return f"{title}: {_shown(written.prompt)}{paint('│', fg='yellow')}{_shown(written.output)}\n  {about}"
