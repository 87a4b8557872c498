"""`sleuth.tokens(batch, tokenizer)`: the view of one batch that is at hand, without running anything."""

from collections.abc import Mapping
from typing import Any

from sleuth.errors import SleuthError
from sleuth.needs import need
from sleuth.record.entries import Record
from sleuth.record.token_entries import TokenBatch, TokenTexts, Vocabulary
from sleuth.token_view.view import View, viewed

IDS, MASK, LABELS, POSITIONS = "input_ids", "attention_mask", "labels", "position_ids"


class Tokens:
    """A view that prints itself as the terminal page, and as HTML in a notebook."""

    def __init__(self, view: View) -> None:
        self.view = view

    def __repr__(self) -> str:
        from sleuth.token_view.shown import as_text

        return as_text.page(self.view)

    def _repr_html_(self) -> str:
        from sleuth.token_view.shown import page

        return page.document(self.view)

    def to_dict(self) -> dict[str, Any]:
        return self.view.to_dict()


def tokens(batch: Any, tokenizer: Any = None, *, shifted: bool = True, examples: int = 4) -> Tokens:
    """What a batch trains: a mapping with `input_ids` and whatever else a model is handed, or ids alone.

    `shifted`: the model compares each prediction with the next label, as causal models of transformers do;
    False where labels stand at the very place they are predicted at.
    """
    need("torch", "torch", "`sleuth.tokens`")
    from sleuth.watching import token_counts, token_rows

    fed = _fed(batch)
    known = _vocabulary(tokenizer, int(fed[IDS].max()))
    told = known.told if known is not None else Vocabulary(0)
    labels = fed.get(LABELS)
    counted = token_counts.Fed(
        ids=fed[IDS],
        attended=fed[MASK].bool() if MASK in fed else None,
        targets=token_rows.of_labels(labels, shifted) if labels is not None else None,
        labels=labels,
        positions=fed.get(POSITIONS),
        pad=told.specials.get("pad"),
        specials=told.special_ids,
        unknown=told.specials.get("unk"),
        end=told.specials.get("eos"),
    )
    rows = token_rows.examples(counted, examples)
    seen = TokenBatch(
        n=0,
        shape=tuple(fed[IDS].shape),
        examples=rows,
        vocabulary=told.id,
        masked=MASK in fed,
        seen_by="labels" if labels is not None else "",
        **token_counts.counts(counted),
    )
    shown = {one for row in rows for one in (*row.ids, *(t for t in row.targets if t is not None))}
    texts = {str(one): text for one in shown if known is not None and (text := known.text(one)) is not None}
    record = Record((*([told] if known is not None else []), TokenTexts(told.id, texts), seen))
    return Tokens(viewed(record, examples))


def _fed(batch: Any) -> dict[str, Any]:
    """The parts as matrices of whole numbers; one clear sentence where they are none."""
    import torch

    parts = batch if isinstance(batch, Mapping) or hasattr(batch, "keys") else {IDS: batch}
    if IDS not in parts:
        raise SleuthError(f"The batch has no {IDS!r}; it holds {', '.join(map(str, parts)) or 'nothing'}.")
    found = {}
    for name in (IDS, MASK, LABELS, POSITIONS):
        if name not in parts or parts[name] is None:
            continue
        try:
            values = torch.as_tensor(parts[name]).detach().cpu()
        except (TypeError, ValueError, RuntimeError) as error:
            raise SleuthError(f"{name!r} is no matrix of whole numbers: {error}") from None
        values = values.unsqueeze(0) if values.dim() == 1 else values
        if values.dim() != 2 or values.is_floating_point() or not values.numel():
            raise SleuthError(
                f"{name!r} has shape {tuple(values.shape)} and is {values.dtype}, not rows of ids."
            )
        found[name] = values.long()
    odd = next((name for name, values in found.items() if values.shape != found[IDS].shape), None)
    if odd is not None:
        shapes = f"{tuple(found[odd].shape)}, {IDS!r} {tuple(found[IDS].shape)}"
        raise SleuthError(f"{odd!r} does not stand token by token beside {IDS!r}: it has shape {shapes}.")
    return found


def _vocabulary(tokenizer: Any, largest: int) -> Any:
    from sleuth.watching.vocabularies import described

    if tokenizer is None:
        return None
    known = described(tokenizer, largest)
    if known is None:
        raise SleuthError(
            f"A {type(tokenizer).__name__} is no tokenizer Sleuth can read: give one of transformers, "
            "tokenizers or "
            "tiktoken, or a table of words (id → word, or word → id) that knows every id of the batch."
        )
    return known
