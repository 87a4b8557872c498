"""What is asked of rows of tokens in a record: what is real in them, what frames them, where two part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sleuth.record.entries import Record
from sleuth.record.token_entries import TokenBatch, TokenRow, Vocabulary

Ids = tuple[int, ...]
ENOUGH = 3  # different rows before what they share is a frame, not an accident
LONGEST = 64  # tokens of a frame that are worth comparing


@dataclass(frozen=True)
class Frame:
    """What training puts around the part that changes: the tokens every row begins with, and those that
    stand right before what is trained."""

    head: Ids = ()
    foot: Ids = ()
    rows: int = 0


def batches(record: Record, phase: str, model: int | None = None) -> list[TokenBatch]:
    return [
        seen
        for seen in record.of(TokenBatch)
        if seen.phase == phase and (model is None or seen.model == model)
    ]


def vocabulary_of(record: Record, batch: TokenBatch) -> Vocabulary | None:
    return next((one for one in record.of(Vocabulary) if one.id == batch.vocabulary), None)


def texts_of(record: Record, vocabulary: int | None) -> dict[int, str]:
    """The text of each id that was kept."""
    from sleuth.record.token_entries import TokenTexts

    told = [one for one in record.of(TokenTexts) if one.vocabulary == vocabulary]
    return {int(key): text for one in told for key, text in one.texts.items()}


def filled(row: TokenRow) -> list[bool]:
    """Which of the kept places are filling."""
    left_out = row.length - len(row.ids)
    places = (at if at < row.head else at + left_out for at in range(len(row.ids)))
    return [place < row.left or place >= row.length - row.right for place in places]


def real(row: TokenRow) -> Ids:
    return tuple(one for one, fill in zip(row.ids, filled(row), strict=True) if not fill)


def before_targets(row: TokenRow, offset: int | None) -> Ids:
    """What stands before the first token that is trained; () where all of it is, or none."""
    first = next((at for at, one in enumerate(row.targets) if one is not None), None)
    if first is None or offset is None:
        return ()
    fill = filled(row)
    kept = [one for at, one in enumerate(row.ids) if at < first + offset and not fill[at]]
    return tuple(kept) if len(kept) > 1 else ()


def frame(record: Record, model: int) -> Frame:
    """Of the training rows that were kept, those that differ."""
    seen = batches(record, "train", model)
    whole = {real(row) for batch in seen for row in batch.examples}
    contexts = {
        context
        for batch in seen
        for row in batch.examples
        if row.head == row.length and (context := before_targets(row, batch.offset))
    }
    head = common(whole) if len(whole) >= ENOUGH else ()
    foot = common([context[::-1] for context in contexts])[::-1] if len(contexts) >= ENOUGH else ()
    return Frame(head[:LONGEST], foot[-LONGEST:], len(whole))


def common(rows: Iterable[Ids]) -> Ids:
    """The tokens that all of them begin with."""
    rows = list(rows)
    if not rows:
        return ()
    shortest = min(len(row) for row in rows)
    length = next((at for at in range(shortest) if len({row[at] for row in rows}) > 1), shortest)
    return rows[0][:length]


def parting(one: Ids, other: Ids) -> int | None:
    """The first place where they differ; None where the one goes on as the other begins."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


def nearest(prompt: Ids, rows: Sequence[Ids]) -> Ids:
    """The row that agrees with it for longest."""
    return max(rows, key=lambda row: len(common([prompt, row])), default=())


def segments(row: TokenRow) -> list[int]:
    """Which of the packed examples each place belongs to, as far as positions tell: they start again."""
    number, found = 0, []
    for at in range(len(row.ids)):
        if at and row.positions and row.positions[at] < row.positions[at - 1]:
            number += 1
        found.append(number)
    return found
