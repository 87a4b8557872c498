"""What is counted in one batch of tokens: pure sums over small tensors of whole numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

OFFSETS = (1, 0, 2, 3, -1)  # how far ahead targets may stand; of equals the first
MOST_FIRSTS = 8  # different tokens that rows begin or end with
MOSTLY = 0.9  # of the targets


@dataclass(frozen=True)
class Fed:
    """One batch, on the CPU: ids, and what stands beside them (None where it was not given)."""

    ids: Any  # rows x places
    attended: Any = None  # yes or no
    targets: Any = None  # ids, -1 where nothing is in the loss
    weights: Any = None
    labels: Any = None
    positions: Any = None
    pad: int | None = None  # the tokenizer's
    specials: tuple[int, ...] = ()
    unknown: int | None = None
    end: int | None = None

    @cached_property
    def trained(self) -> Any:
        return self.targets >= 0

    @cached_property
    def filling(self) -> "Filling":
        return filling(self.ids, self.attended, self.pad, self.end)

    @cached_property
    def real(self) -> Any:
        return ~(self.filling.left | self.filling.right)


@dataclass(frozen=True)
class Filling:
    """What fills rows up to one length, by side."""

    pad: int | None
    left: Any
    right: Any


def filling(ids: Any, attended: Any, pad: int | None, end: int | None) -> Filling:
    """The runs of one id at the edges of the rows. Where that is the end token, too, the mask tells which
    end is real; without a mask the first of a run is."""
    import torch

    right, left = _run(ids.flip(1)).flip(1), _run(ids)
    candidates = [pad]
    if pad is None or attended is None:  # else the mask says what is filling, whatever its id
        candidates += [_shared_edge(ids, right, -1), _shared_edge(ids, left, 0)]
    none = torch.zeros_like(ids, dtype=torch.bool)
    for one in candidates:
        if one is None:
            continue
        to_right, to_left = right & (ids == one), left & (ids == one)
        to_left = to_left & ~to_right
        if attended is not None and bool((~attended & (to_right | to_left)).any()):
            to_right, to_left = _unattended(to_right, attended), _unattended(to_left, attended)
        elif one == end:
            to_right = to_right & to_right.roll(1, 1).index_fill(1, torch.tensor([0]), False)
            to_left = to_left & to_left.roll(-1, 1).index_fill(1, torch.tensor([ids.shape[1] - 1]), False)
        elif one != pad:
            to_left, to_right = _several(to_left), _several(to_right)
        if bool((to_right | to_left).any()):
            return Filling(one, to_left, to_right)
    return Filling(None, none, none)


def _unattended(run: Any, attended: Any) -> Any:
    """Of a mask that leaves filling out here and there, what it leaves out; a row it covers wholly is all
    filling but for its first token."""
    inside = run & ~attended
    bare = run.any(1) & ~inside.any(1)
    return inside | (run & bare.unsqueeze(1) & run.roll(1, 1))


def _several(run: Any) -> Any:
    """A run of one is a token like others, where no longer one stands beside it."""
    return run if bool((run.sum(1) > 1).any()) else run & False


def _run(ids: Any) -> Any:
    """The places from the left edge on that hold one and the same id."""
    return (ids == ids[:, :1]).cumprod(1).bool()


def _shared_edge(ids: Any, run: Any, side: int) -> int | None:
    """The id that fills rows up: at the edge of several, in runs of different lengths."""
    lengths = run.sum(1)
    long = lengths > 1
    if int(long.sum()) < 2 or bool((lengths == ids.shape[1]).all()):
        return None
    edge = ids[long][:, side]
    value = int(edge.mode().values)
    chosen = lengths[long][edge == value]
    return value if len(chosen) > 1 and int(chosen.max()) != int(chosen.min()) else None


def counts(fed: Fed) -> dict[str, Any]:
    """The numbers of a `TokenBatch`."""
    fill, real = fed.filling, fed.real
    padded = fill.left | fill.right
    told = {
        "largest_id": int(fed.ids.max()),
        "pad": fill.pad,
        "pad_left": int(fill.left.sum()),
        "pad_right": int(fill.right.sum()),
        "specials": _each(fed.specials, fed.ids, real),
        "doubled": _doubled(fed, real),
        "unknown": int(((fed.ids == fed.unknown) & real).sum()) if fed.unknown is not None else 0,
        **_edges(fed, real),
    }
    if fed.attended is not None:
        told |= {
            "attended": int(fed.attended.sum()),
            "pad_attended": int((padded & fed.attended).sum()),
            "real_unattended": int((real & ~fed.attended).sum()),
        }
    if fed.positions is not None:
        restarts = (fed.positions[:, 1:] < fed.positions[:, :-1]) & real[:, 1:]
        told["segments"] = int(restarts.any(1).sum())
    return told | (_of_targets(fed) if fed.targets is not None else {})


def _of_targets(fed: Fed) -> dict[str, Any]:
    trained = fed.trained
    offset, agreement = _offset(fed)
    told: dict[str, Any] = {
        "trained": int(trained.sum()),
        "rows_untrained": int((~trained.any(1)).sum()),
        "full_untrained": int((~trained.any(1) & fed.real.all(1)).sum()),
        "pushed_away": int((fed.weights < 0).sum()) if fed.weights is not None else 0,
        "offset": offset,
        "agreement": agreement,
        "copies": _share((fed.targets == fed.ids) & trained, trained),
        "specials_trained": _each(fed.specials, fed.targets, trained),
        "targets_from": _extent(trained, fed.real),
    }
    if offset is None:
        return told
    # Of the last place the target stands beyond the row: after filling comes filling.
    fill = fed.filling
    padding = (_ahead(fill.left | fill.right, offset, False) | fill.right) & (fed.targets == fill.pad)
    last = _last(fed.real)
    reached = (trained & _ahead(last, offset, False)).any(1)
    return told | {"pad_trained": int((trained & padding).sum()), "last_trained": int(reached.sum())}


def _offset(fed: Fed) -> tuple[int | None, float]:
    """How far ahead of the place they are compared at the targets stand among the inputs."""
    best: tuple[int | None, float] = (None, 0.0)
    enough = int((fed.trained & fed.real).sum()) / 2
    for offset in OFFSETS:
        inside = _ahead(fed.real, offset, False) & fed.trained & fed.real
        if int(inside.sum()) < enough or not bool(inside.any()):
            continue
        share = _share((_ahead(fed.ids, offset, -1) == fed.targets) & inside, inside)
        if share > best[1] + 0.02:
            best = (offset, share)
    return best if best[1] >= MOSTLY else (None, best[1])


def _ahead(values: Any, offset: int, filled: Any) -> Any:
    """What stands so many places later, at each place."""
    import torch

    if not offset:
        return values
    moved = torch.full_like(values, filled)
    if offset > 0:
        moved[:, :-offset] = values[:, offset:]
    else:
        moved[:, -offset:] = values[:, :offset]
    return moved


def _last(real: Any) -> Any:
    """The last place of each row that is no filling."""
    later = real.flip(1).cumsum(1).flip(1)
    return real & (later == 1)


def _each(numbers: tuple[int, ...], ids: Any, where: Any) -> dict[str, int]:
    found = {str(number): int(((ids == number) & where).sum()) for number in numbers}
    return {number: count for number, count in found.items() if count}


def _doubled(fed: Fed, real: Any) -> dict[str, int]:
    side_by_side = (fed.ids[:, 1:] == fed.ids[:, :-1]) & real[:, 1:] & real[:, :-1]
    found = {n: int(((fed.ids[:, 1:] == n) & side_by_side).any(1).sum()) for n in fed.specials}
    return {str(number): rows for number, rows in found.items() if rows}


def _edges(fed: Fed, real: Any) -> dict[str, Any]:
    last, rows = _last(real), real.any(1)
    first = (real & (real.cumsum(1) == 1))[rows]
    ends = (fed.ids == fed.end) & real & ~last if fed.end is not None else None
    ended = (fed.ids == fed.end) & last if fed.end is not None else last & False
    return {
        "starts_twice": _twice(fed, real),
        "ends_twice": _twice(Fed(fed.ids.flip(1), specials=fed.specials), real.flip(1)),
        "ended": int(ended.any(1).sum()),
        "cut": int((real.all(1) & ~ended.any(1)).sum()) if fed.end is not None else 0,
        "first_ids": _commonest(fed.ids[rows][first]),
        "last_ids": _commonest(fed.ids[rows][last[rows]]),
        "full": int(real.all(1).sum()),
        "ends_inside": int(ends.any(1).sum()) if ends is not None else 0,
        "restarts": _restarts(fed, ends, real) if ends is not None else 0,
    }


def _restarts(fed: Fed, ends: Any, real: Any) -> int:
    """Rows that begin again after an end token, with the token they began with."""
    start = real & (real.cumsum(1) == 1)
    first = (fed.ids * start).sum(1, keepdim=True)
    return int((ends[:, :-1] & (fed.ids[:, 1:] == first)).any(1).sum())


def _twice(fed: Fed, real: Any) -> int:
    """Rows that begin with one and the same special token, two times."""
    import torch

    if fed.ids.shape[1] < 2 or not fed.specials:
        return 0
    start = real & (real.cumsum(1) == 1)
    special = torch.isin(fed.ids, torch.tensor(fed.specials))
    again = (fed.ids[:, 1:] == fed.ids[:, :-1]) & special[:, 1:] & real[:, 1:]
    return int((start[:, :-1] & again).any(1).sum())


def _commonest(ids: Any) -> dict[str, int]:
    values, times = ids.unique(return_counts=True)
    order = times.argsort(descending=True)[:MOST_FIRSTS]
    return {str(int(a)): int(b) for a, b in zip(values[order], times[order], strict=True)}


def _extent(trained: Any, real: Any) -> tuple[float, float] | None:
    """Where targets begin and end, as shares of what is real in their rows."""
    import torch

    rows = trained.any(1) & real.any(1)
    if not bool(rows.any()):
        return None
    trained, real = trained[rows], real[rows]
    rank = (real.cumsum(1) - 1).float() / real.sum(1, keepdim=True)
    low = torch.where(trained, rank, torch.ones_like(rank)).amin(1).median()
    high = torch.where(trained, rank, torch.zeros_like(rank)).amax(1).median()
    return float(low), float(high)


def _share(part: Any, whole: Any) -> float:
    return float(part.sum()) / max(1, int(whole.sum()))


def ranges(ids: Mapping[int, int], most: int) -> tuple[tuple[int, int], ...]:
    """Ids in stretches without a hole; the first so many stretches."""
    found: list[tuple[int, int]] = []
    for one in sorted(ids):
        if found and one == found[-1][1] + 1:
            found[-1] = (found[-1][0], one)
        elif len(found) < most:
            found.append((one, one))
        else:
            break
    return tuple(found)
