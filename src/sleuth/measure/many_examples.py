"""Many examples, from the loaders: counts, copies, neighbours, and what training and validation share."""

import hashlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import RandomSampler, SubsetRandomSampler

from sleuth.measure import batches
from sleuth.measure.captured import Chunks
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.subject import Subject

MOST_ROWS = 4096
SHARE_OF_BUDGET = 0.1  # of the whole probe's time, for walking through one loader
STARVED = 10  # times fewer than its share: a class a part can neither teach nor judge
ALIKE = 0.9  # correlation from which it is worth asking how often the column moves at all
ALIKE_IN_ORDER = 0.5  # correlation of a column that could be the target on another scale
MANY_COLUMNS = 3
ORDERED_ROWS = 50
TELLING = 10  # rows in which a column must move: a flag set three times agrees with much by chance
MOST_NEIGHBOURS = 1500  # rows whose distances are all compared
CLEAR = 2.5  # standard errors above chance that would clear the labels
FEWEST_TO_LEVEL = 16  # values of an example, of which a mean and a spread say something
LEVEL = 1e-3  # of the spread: what single precision leaves of a normalisation


@dataclass(frozen=True, slots=True)
class LabelFacts:
    """How often each class occurs among the examples seen; `complete` when that was the whole set."""

    counts: tuple[tuple[int, int], ...]
    seen: int
    complete: bool
    weighted_sampler: bool
    fair: bool = True  # what was not seen has the shares of what was

    @property
    def ratio(self) -> float:
        numbers = [count for _, count in self.counts]
        return max(numbers) / min(numbers) if numbers else 1.0


@dataclass(frozen=True, slots=True)
class Copies:
    """The input column that resembles the target most."""

    column: int
    correlation: float
    rows: int
    of_class: bool
    in_order: bool = False  # the two rise together, along a curve: a price beside its logarithm


@dataclass(frozen=True, slots=True)
class Neighbours:
    """How often the nearest neighbour has the same label, and how often chance would have it."""

    agreement: float
    chance: float
    nearness: float
    rows: int
    leveled: bool  # every example has the same mean and the same spread: each was normalised by itself

    @property
    def like_chance(self) -> bool:
        spread = math.sqrt(self.chance * (1 - self.chance) / self.rows)
        return self.agreement < self.chance + CLEAR * spread


@dataclass(frozen=True, slots=True)
class Split:
    """Training beside validation data."""

    shared: int
    train_rows: int
    val_rows: int
    repeated_in_train: float
    measured: bool  # real numbers of many kinds, which do not repeat by chance
    width: int
    pooled_error: float
    train_error: float
    largest_shift: float
    class_shift: float
    missing_classes: tuple[int, ...]
    strangers: bool = False  # no class of the one stands in the other


@dataclass(frozen=True, eq=False)
class _Rows:
    inputs: Tensor
    targets: Tensor | None
    complete: bool
    prints: tuple[bytes, ...]  # of whole rows: a rating is its user, its item and what is known of it
    labels: Tensor | None  # the targets of all rows where they lie at hand, else of those that were gathered
    fair: bool  # labels that were not reached are served at random; the tail of a file may hold other classes


def labels(subject: Subject, targets: tuple[str, ...]) -> LabelFacts:
    rows = _gather(subject, subject.loader if subject.loader is not None else [subject.batch], targets)
    target = rows.labels
    if target is None or (target.is_floating_point() and not _binary(target)):
        raise NotApplicable("the targets are no class labels")
    if target.dim() > 1 and target[0].numel() > 1:
        raise NotApplicable("there is more than one label an example")
    counts = Counter(int(value) for value in target.reshape(-1).tolist() if value >= 0)
    sampler = type(getattr(subject.loader, "sampler", None)).__name__
    complete = rows.complete and subject.loader is not None
    return LabelFacts(
        tuple(sorted(counts.items())),
        sum(counts.values()),
        complete,
        sampler == "WeightedRandomSampler",
        rows.fair,
    )


def _binary(target: Tensor) -> bool:
    return bool(((target == 0) | (target == 1)).all())


def copies(subject: Subject, targets: tuple[str, ...]) -> Copies:
    rows = _gather(subject, subject.loader if subject.loader is not None else [subject.batch], targets)
    if rows.targets is None or not rows.inputs.is_floating_point():
        raise NotApplicable("inputs or targets are no numbers")
    if all(name in targets for name, _ in batches.leaves(subject.batch)):
        raise NotApplicable("the batch holds nothing beside the target")
    target = rows.targets.float().reshape(len(rows.targets), -1)
    if len(target) < 20 or target.shape[1] > 1:
        raise NotApplicable("a single target and at least 20 examples are needed")
    kinds = torch.unique(target)
    of_class = not rows.targets.is_floating_point() or _binary(target)
    wanted = (
        torch.stack([(target[:, 0] == kind).float() for kind in kinds], 1)
        if of_class and len(kinds) <= 50
        else target
    )
    similar = _correlations(rows.inputs.float(), wanted.float())
    alike = (similar.amax(1) > ALIKE).nonzero().flatten()
    similar[alike[_moves(rows.inputs[:, alike]) < TELLING]] = 0.0
    best = int(similar.argmax()) if similar.numel() else 0
    found = Copies(best // wanted.shape[1], float(similar.reshape(-1)[best]), len(target), of_class)
    ordered = None if of_class or found.correlation < ALIKE_IN_ORDER else _in_order(rows.inputs, target)
    return found if ordered is None or ordered.correlation <= found.correlation else ordered


def _in_order(inputs: Tensor, target: Tensor) -> Copies | None:
    """The column in whose order the target rises or falls. A function of one variable, or of two, may be what
    is to be learnt; beside many others, a column that settles the target alone was made from it."""
    if inputs.shape[1] < MANY_COLUMNS or len(target) < ORDERED_ROWS:
        return None
    similar = _correlations(_ranks(inputs.float()), _ranks(target))[:, 0]
    similar[_moves(inputs) < len(target) // 2] = 0.0  # ties have no order
    best = int(similar.argmax())
    return Copies(best, float(similar[best]), len(target), of_class=False, in_order=True)


def _ranks(columns: Tensor) -> Tensor:
    return columns.argsort(dim=0, stable=True).argsort(dim=0).float()


def _moves(columns: Tensor) -> Tensor:
    """In how many rows each column is not at its most common value."""
    return (columns != columns.mode(0).values).sum(0)


def _correlations(columns: Tensor, wanted: Tensor) -> Tensor:
    def scaled(values: Tensor) -> Tensor:
        centred = values - values.mean(0)
        unit: Tensor = centred / torch.linalg.vector_norm(centred, dim=0).clamp(min=1e-12)
        return unit

    return (scaled(columns).T @ scaled(wanted)).abs().nan_to_num(0.0)


def neighbours(subject: Subject, targets: tuple[str, ...]) -> Neighbours:
    if subject.loader is None:
        raise NotApplicable("no loader given, and one batch is too few to judge neighbours")
    rows = _gather(subject, subject.loader, targets)
    if rows.targets is None or rows.targets.is_floating_point() or rows.targets.dim() > 1:
        raise NotApplicable("the targets are no class labels")
    if not rows.inputs.is_floating_point() or len(rows.inputs) < 300:
        raise NotApplicable("fewer than 300 examples with numeric inputs")
    inputs, target = rows.inputs[:MOST_NEIGHBOURS].float(), rows.targets[:MOST_NEIGHBOURS]
    distance = torch.cdist(inputs, inputs)
    typical = float(distance.median())
    distance.fill_diagonal_(float("inf"))
    near = distance.min(1)
    shares = torch.bincount(target).float() / len(target)
    agreement = float((target[near.indices] == target).float().mean())
    return Neighbours(
        agreement,
        float((shares**2).sum()),
        float(near.values.median()) / max(typical, 1e-12),
        len(inputs),
        _leveled(inputs),
    )


def _leveled(rows: Tensor) -> bool:
    if rows.shape[1] < FEWEST_TO_LEVEL:
        return False
    spread, mean = rows.std(1), rows.mean(1)
    typical = float(spread.mean())
    uneven = max(float(spread.max() - spread.min()), float(mean.max() - mean.min()))
    return typical > 0 and uneven < LEVEL * typical


def split(subject: Subject, targets: tuple[str, ...]) -> Split:
    if subject.loader is None or subject.val_loader is None:
        raise NotApplicable(
            "no validation loader given" if subject.val_loader is None else "no training loader given"
        )
    train, val = _gather(subject, subject.loader, targets), _gather(subject, subject.val_loader, targets)
    if train.inputs.shape[1] != val.inputs.shape[1]:
        raise NotApplicable("training and validation inputs differ in shape")
    seen, other = train.prints, val.prints
    known = set(seen)
    a, b = train.inputs.float(), val.inputs.float()
    spread = a.std(0, unbiased=False).clamp(min=1e-12)
    error_train, error_pooled = _standard_error(a), _standard_error(torch.cat([a, b]))
    whole = train.complete and val.complete
    class_shift, missing = _class_shift(train.labels, val.labels) if train.fair and val.fair else (0.0, ())
    return Split(
        shared=sum(key in known for key in other),
        train_rows=len(seen),
        val_rows=len(other),
        repeated_in_train=1 - len(known) / max(len(seen), 1),
        measured=_measured(train.inputs),
        width=a.shape[1],
        pooled_error=error_pooled if whole else float("nan"),
        train_error=error_train if whole else float("nan"),
        largest_shift=float(((a.mean(0) - b.mean(0)).abs() / spread).max()),
        class_shift=class_shift,
        missing_classes=missing,
        strangers=bool(missing) and _strangers(train.labels, val.labels),
    )


def _measured(rows: Tensor) -> bool:
    """Whether rows hold real numbers in such variety that two equal rows are copies, not coincidence."""
    if not rows.is_floating_point() or bool((rows == rows.round()).all()):
        return False
    head = rows[:500, :64]
    kinds = torch.tensor([len(torch.unique(column)) for column in head.T], dtype=torch.float64)
    return float(kinds.log2().sum()) > 4 * math.log2(max(len(head), 2))


def _standard_error(values: Tensor) -> float:
    """How far the columns are from mean 0 and spread 1; columns that never vary are left out."""
    wide = values.double()
    spread = wide.std(0, unbiased=False)
    moving = spread > 1e-6
    if not bool(moving.any()):
        return float("inf")
    return float(torch.maximum(wide.mean(0).abs()[moving], (spread[moving] - 1).abs()).max())


def _strangers(train: Tensor | None, val: Tensor | None) -> bool:
    return train is not None and val is not None and not bool(torch.isin(val, train).any())


def _class_shift(train: Tensor | None, val: Tensor | None) -> tuple[float, tuple[int, ...]]:
    """Chi-square per degree of freedom of the class counts; classes that are as good as absent in a part."""
    if train is None or val is None or train.is_floating_point() or train.dim() > 1 or train.min() < 0:
        return 0.0, ()
    size = int(max(train.max(), val.max())) + 1
    if size > 1000:
        return 0.0, ()
    a, b = torch.bincount(train, minlength=size).double(), torch.bincount(val, minlength=size).double()
    together = a + b
    statistic = torch.tensor(0.0, dtype=torch.float64)
    for counts in (a, b):
        expected = together * counts.sum() / together.sum()
        statistic += ((counts - expected) ** 2 / expected.clamp(min=1e-12)).sum()
    expected_val = together * b.sum() / together.sum()
    expected_train = together * a.sum() / together.sum()
    lacking = (STARVED * b < expected_val) & (expected_val >= 5)
    lacking |= (STARVED * a < expected_train) & (expected_train >= 5)
    return float(statistic) / max(size - 1, 1), tuple(int(i) for i in lacking.nonzero().flatten())


def _prints(columns: Sequence[Tensor]) -> Iterator[bytes]:
    """One for each row. Rows of one value only are left out: silence and padding repeat in every set."""
    tables = [part.detach().reshape(len(part), -1).cpu().contiguous() for part in columns]
    for row in zip(*tables, strict=True):
        if len(row) == 1 and len(row[0]) > 1 and bool((row[0] == row[0][0]).all()):
            continue
        yield hashlib.blake2b(b"".join(part.numpy().tobytes() for part in row), digest_size=12).digest()


def _gather(subject: Subject, loader: Any, targets: tuple[str, ...]) -> _Rows:
    """Examples of a loader as rows, bounded in number and time: loaders may be endless."""
    started = time.monotonic()
    allowed = min(max(SHARE_OF_BUDGET * subject.budget, 0.2), subject.seconds_left)
    inputs, wanted, count, complete = [], [], 0, True
    prints: list[bytes] = []
    for batch in loader:
        given, target = _pick(batch, targets)
        if given is None:
            raise NotApplicable("the loader's batches hold no tensors")
        inputs.append(given.detach().reshape(len(given), -1).cpu())
        if target is not None:
            wanted.append(target.detach().cpu())
        count += len(given)
        prints += _prints(_beside(given, batch, targets))
        spent = time.monotonic() - started
        if count >= MOST_ROWS or spent + spent / len(inputs) > allowed:  # one more batch would be too many
            complete = count >= _length(loader)
            break
    if not inputs or len({part.shape[1] for part in inputs}) > 1:
        raise NotApplicable("examples differ in shape" if inputs else "the loader gives no batch")
    joined = torch.cat(wanted) if len(wanted) == len(inputs) and len({t.dim() for t in wanted}) == 1 else None
    at_hand = _pick(loader.tensors, targets)[1] if isinstance(loader, Chunks) else None
    whole = complete or at_hand is not None
    return _Rows(
        torch.cat(inputs),
        joined,
        complete,
        tuple(prints),
        labels=joined if at_hand is None else at_hand.detach().cpu(),
        fair=whole or _serves_at_random(loader),
    )


def _beside(given: Tensor, batch: Any, targets: tuple[str, ...]) -> list[Tensor]:
    """The inputs of a batch that have a row for each of its examples, the one that was picked first."""
    others = [
        tensor
        for name, tensor in batches.leaves(batch)
        if name not in targets and tensor is not given and tensor.dim() and len(tensor) == len(given)
    ]
    return [given, *others]


def _serves_at_random(loader: Any) -> bool:
    return isinstance(getattr(loader, "sampler", None), RandomSampler | SubsetRandomSampler)


def _length(loader: Any) -> float:
    if isinstance(loader, Chunks):
        return len(loader.tensors[0])
    dataset = getattr(loader, "dataset", None)
    return len(dataset) if isinstance(dataset, Sized) else float("inf")


def _pick(batch: Any, targets: tuple[str, ...]) -> tuple[Tensor | None, Tensor | None]:
    """The first input and the first target of a batch; targets by their place in the examined batch."""
    leaves = dict(batches.leaves(batch))
    wanted = next((leaves[name] for name in targets if name in leaves), None)
    candidates = [t for name, t in leaves.items() if name not in targets and t.dim() > 0] or list(
        leaves.values()
    )
    numbers = [t for t in candidates if t.is_floating_point()]
    return next(iter(numbers or candidates), None), wanted


def tables(loader: Any, most: int = 3) -> Iterator[Any]:
    """A few further batches."""
    for number, batch in enumerate(loader):
        if number >= most:
            return
        yield batch
