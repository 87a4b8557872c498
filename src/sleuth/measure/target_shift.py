"""How far ahead of the tokens that a model reads its targets stand."""

import torch
from torch import Tensor

from sleuth.measure.forward import Run, Use

FARTHEST = 4
FEWEST = 4  # places that must be left to compare
ALIKE = 0.98  # of the places hold the same token


def ahead(use: Use, run: Run) -> int | None:
    """By how many places targets are the tokens moved; None where they are not, or several moves fit."""
    if use.target.is_floating_point() or use.target.dtype == torch.bool:
        return None
    target = use.target.detach().reshape(-1)
    for tokens in _looked_up(run):
        for rows, wanted in _laid_out(tokens, target):
            fits = [move for move in range(FARTHEST) if _fits(rows, wanted, move)]
            if fits:
                return fits[0] - _left_out(use, run) if len(fits) == 1 else None
    return None


def _left_out(use: Use, run: Run) -> int:
    """How many first places of the scores the loss does not judge: `scores[:, 1:-1]` leaves out one."""
    for op in reversed(run.ops):
        if op.name != "getitem" or not op.inputs or not op.outputs:
            continue
        whole, part = op.inputs[0], op.outputs[0]
        if part.numel() != use.input.numel() or whole.dim() != 3 or part.dim() != 3:
            continue
        cut = [axis for axis in (0, 1) if part.shape[axis] < whole.shape[axis]]
        if len(cut) == 1 and part.stride() == whole.stride():
            return int(part.storage_offset() - whole.storage_offset()) // max(1, whole.stride(cut[0]))
    return 0


def _looked_up(run: Run) -> list[Tensor]:
    """The tokens that embeddings were asked for, as rows and places."""
    given = [tensor for op in run.ops if op.name == "embedding" for tensor in op.inputs]
    return [t for t in given if t.dim() == 2 and not t.is_floating_point()]


def _laid_out(tokens: Tensor, target: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Both with one row an example: as they stand, and where time comes first."""
    found = []
    rows, places = tokens.shape
    if len(target) % rows == 0:
        found.append((tokens, target.reshape(rows, -1)))
    if len(target) % places == 0:
        found.append((tokens.T, target.reshape(-1, places).T))
    return [(given, wanted) for given, wanted in found if wanted.shape[1] >= 2 * FEWEST]


def _fits(tokens: Tensor, wanted: Tensor, move: int) -> bool:
    places = min(wanted.shape[1], tokens.shape[1] - move)
    if places < FEWEST:
        return False
    compared, moved = wanted[:, :places], tokens[:, move : move + places]
    counted = compared >= 0  # what the loss ignores is negative
    return bool(counted.any()) and float((compared == moved)[counted].float().mean()) >= ALIKE
