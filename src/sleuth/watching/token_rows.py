"""Targets as they meet the tokens: from gradients, from a loss, from labels; and examples row by row."""

from collections.abc import Callable
from typing import Any

from sleuth.record.token_entries import TokenRow
from sleuth.watching.token_counts import Fed

MOST_GRADIENT = 1 << 27  # numbers of one gradient looked at: half a gigabyte, a tenth of a second
SAME = 0.98  # of the largest weight: within what rounding leaves
HEAD, TAIL = 512, 128  # tokens of a long row that are kept


def pulled(grad: Any, shape: tuple[int, int], scores: Any = None) -> tuple[Any, Any]:
    """Targets and what pulls at them, for as many rows as are looked at; -1 where nothing does.

    Cross-entropy pulls hardest at its target: by the weight times 1 - p, as much as at all others together.
    `scores`: the scores themselves, which tell p; without them the pull stands for the weight.
    """
    import torch

    grad = grad.detach().reshape(len(grad) if grad.dim() == 3 else shape[0], -1, grad.shape[-1])
    grad = grad[: max(1, MOST_GRADIENT // max(1, grad[0].numel()))]
    low, at = grad.min(-1)
    high, up = grad.max(-1)
    towards = -low >= high
    pull = torch.where(towards, -low, -high).float()
    targets = torch.where(towards, at, up).masked_fill(pull == 0, -1)
    if scores is not None:
        pull = pull / _missing(scores.detach().reshape(-1, *grad.shape[1:]), targets)
    return placed_at(targets.cpu(), shape[1], -1), placed_at(pull.cpu(), shape[1], 0.0)


def _missing(scores: Any, targets: Any) -> Any:
    """1 - p of the targets, row by row."""
    import torch

    rows = []
    for row, wanted in zip(scores[: len(targets)], targets, strict=True):
        logs = torch.log_softmax(row.float(), -1)
        rows.append(1 - logs.gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1).exp())
    return torch.stack(rows).clamp(min=1e-6)


def placed(target: Any, ignored: int, shape: tuple[int, int], logits: tuple[int, ...], classes: int) -> Any:
    """The targets of a loss at the places they are compared at; None where they do not belong there."""
    rows = shape[0]
    scored = logits[1] if len(logits) == 3 else shape[1]
    if not rows or target.numel() % rows or classes != logits[-1]:
        return None
    places = target.numel() // rows
    if not 0 < places <= scored:
        return None
    kept = target.reshape(rows, places)
    kept = kept.masked_fill((kept == ignored) | (kept < 0), -1)
    return placed_at(_filled_up(kept, scored), shape[1], -1)


def _filled_up(kept: Any, scored: int) -> Any:
    """The last scores were left out: `logits[:, :-1]` against `ids[:, 1:]`."""
    return (
        kept
        if kept.shape[1] == scored
        else kept.new_full((len(kept), scored), -1).index_copy(1, _range(kept.shape[1]), kept)
    )


def _range(count: int) -> Any:
    import torch

    return torch.arange(count)


def placed_at(values: Any, places: int, nothing: float) -> Any:
    """Beside the tokens: scores of the last places only, or of words of its own (a soft prompt) before."""
    missing = places - values.shape[1]
    if missing <= 0:
        return values[:, -missing:] if missing else values
    return values.new_full((len(values), places), nothing).index_copy(1, _range(places)[missing:], values)


def of_labels(labels: Any, shifted: bool) -> Any:
    """Targets by the labels alone, as transformers compares them: -100 is in no loss."""
    targets = labels.masked_fill(labels < 0, -1)
    if not shifted:
        return targets
    moved = targets.new_full(targets.shape, -1)
    moved[:, :-1] = targets[:, 1:]
    return moved


def of_chances(labels: Any, grad: Any) -> tuple[Any, Any]:
    """Targets and weights from what pulls at the log-probability of each label but the first."""
    weights = placed_at(-grad.detach().float().cpu(), labels.shape[1] - 1, 0.0)
    weights = weights.new_zeros(labels.shape).index_copy(1, _range(weights.shape[1]), weights)
    targets = of_labels(labels, shifted=True).masked_fill(weights == 0, -1)
    return targets, weights.masked_fill(targets < 0, 0.0)  # what is ignored is often pulled at, too


def examples(fed: Fed, most: int) -> tuple[TokenRow, ...]:
    return tuple(_example(fed, row) for row in range(min(most, len(fed.ids))))


def _largest(weights: Any) -> float:
    """0 where all that are in the loss weigh the same: nothing is to be told."""
    if weights is None or not bool((weights != 0).any()):
        return 0.0
    some = weights[weights != 0]
    return float(some.abs().max()) if float(some.min()) < SAME * float(some.max()) else 0.0


def _example(fed: Fed, row: int) -> TokenRow:
    length = int(fed.ids.shape[1])
    long = length > HEAD + TAIL
    weights = fed.weights[row] if fed.weights is not None else None
    largest = _largest(weights)

    def of(values: Any, read: Callable[[Any], Any] = int) -> tuple[Any, ...]:
        if values is None:
            return ()
        kept = values[row].tolist()
        kept = kept[:HEAD] + kept[-TAIL:] if long else kept
        return tuple(read(value) for value in kept)

    return TokenRow(
        row=row,
        length=length,
        left=int(fed.filling.left[row].sum()),
        right=int(fed.filling.right[row].sum()),
        head=HEAD if long else length,
        ids=of(fed.ids),
        attended=of(fed.attended),
        labels=of(fed.labels),
        positions=of(fed.positions),
        targets=of(fed.targets, lambda value: None if value < 0 else int(value)),
        weights=of(fed.weights, lambda value: round(value / largest, 3)) if largest else (),
    )
