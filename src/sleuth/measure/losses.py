"""The losses that were used, what they were given, and what guessing would have cost."""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  the name everybody knows it by

from sleuth.finding import Where
from sleuth.measure.forward import Run, Use, each_gradient, gradients
from sleuth.measure.gradients import Slopes
from sleuth.measure.mutual_losses import mutual
from sleuth.measure.subject import Subject
from sleuth.measure.target_shift import ahead
from sleuth.measure.tensor_paths import last_squash, reached_from
from sleuth.torch_losses import COMPARES_NUMBERS, OF_YES_OR_NO, OVER_CLASSES, cost_of_guessing


@dataclass(frozen=True, slots=True)
class LossFacts:
    """One use of a library loss, in numbers."""

    name: str
    where: Where
    reduction: str
    weighted: bool
    value: float
    mean_value: float
    chance: float | None
    entropy: float | None
    input_shape: tuple[int, ...]
    target_shape: tuple[int, ...]
    target_dtype: str
    target_min: float
    target_max: float
    target_distinct: int
    target_whole: bool
    classes: int
    ignored_share: float
    squash: str
    rows_sum_to_one: bool
    log_rows_sum_to_one: bool
    unit_range: bool
    outside_share: float
    connected: bool
    wants_gradient: bool
    target_has_graph: bool
    mutual: bool  # both sides are answers of one network that are to agree, beside another goal
    silent_examples: float
    orphans: tuple[str, ...]
    several_ones: float = (
        0.0  # share of rows with more than one 1, of targets that are zeros and ones a class
    )
    ahead: int | None = None  # places by which the targets are the input's tokens moved
    contrary: float = (
        0.0  # lowest correlation with the targets that another loss has for the very same output
    )
    odd_axis: int | None = None  # log-probabilities add to one on it, and the loss has its classes on another


EITHER_WAY = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})


def read(subject: Subject, run: Run, found: Slopes) -> tuple[LossFacts, ...]:
    return tuple(_one(subject, run, _turned(use), found) for use in run.uses if use.grad)


def _turned(use: Use) -> Use:
    """`mse_loss(returns, values)`: where both sides are alike, the one that learns is the prediction."""
    swapped = use.target.requires_grad and not use.input.requires_grad
    return replace(use, input=use.target, target=use.input) if swapped and use.name in EITHER_WAY else use


def _one(subject: Subject, run: Run, use: Use, found: Slopes) -> LossFacts:
    given, target = use.input.detach().float(), use.target.detach().float()
    connected = id(run.loss) in reached_from(run, [use.value]) or use.value is run.loss
    squash = last_squash(use.input)
    finite = target[torch.isfinite(target)]
    return LossFacts(
        name=use.name,
        where=use.where,
        reduction=use.reduction,
        weighted=_weighted(use),
        value=float(use.value.detach().float().mean()),
        mean_value=_mean_value(use),
        chance=_chance(use),
        entropy=_entropy(use),
        input_shape=tuple(use.input.shape),
        target_shape=tuple(use.target.shape),
        target_dtype=str(use.target.dtype).removeprefix("torch."),
        target_min=float(finite.min()) if finite.numel() else math.nan,
        target_max=float(finite.max()) if finite.numel() else math.nan,
        target_distinct=len(torch.unique(finite)) if finite.numel() else 0,
        target_whole=bool((finite == finite.round()).all()),
        classes=_classes(use),
        ignored_share=_ignored(use),
        squash=squash,
        rows_sum_to_one=_rows_sum_to_one(given),
        log_rows_sum_to_one=_log_rows_sum_to_one(given),
        unit_range=bool(((given >= 0) & (given <= 1)).all()),
        outside_share=_outside(target, squash),
        connected=connected,
        wants_gradient=use.input.requires_grad,
        target_has_graph=use.target.requires_grad and use.target.grad_fn is not None,
        mutual=mutual(run, use),
        silent_examples=_silent(use, run),
        orphans=() if connected else _orphans(subject, use, found),
        several_ones=_several_ones(use.target),
        ahead=ahead(use, run),
        contrary=_contrary(use, run),
        odd_axis=_odd_axis(use),
    )


def _odd_axis(use: Use) -> int | None:
    """Of log-probabilities for classes at several places: the axis they were made over, where it is not that
    of the classes. On a single place, or among as many places as classes, both may hold."""
    given = use.input.detach().float()
    if use.name != "nll_loss" or given.dim() < 3:
        return None
    made = [axis for axis in range(given.dim()) if bool((given.logsumexp(axis).abs() < 1e-2).all())]
    return made[0] if made and 1 not in made and given.shape[made[0]] > 1 else None


FEWEST_TO_COMPARE = 32  # pairs of targets
BY_CHANCE = 4.0  # standard errors of a correlation of nothing, which are one over the root of their number


def _contrary(use: Use, run: Run) -> float:
    """How much two losses ask the opposite of one output: the correlation of their targets."""
    others = [
        _turned(other).target
        for other in run.uses
        if other is not use
        and other.grad
        and other.name not in OVER_CLASSES
        and _turned(other).input is use.input
    ]
    alike = [t for t in others if t.shape == use.target.shape and t.numel() >= FEWEST_TO_COMPARE]
    if use.name in OVER_CLASSES or not alike:
        return 0.0
    pairs = [torch.stack((use.target.detach().flatten(), t.detach().flatten())).double() for t in alike]
    found = [float(torch.corrcoef(pair)[0, 1]) for pair in pairs if bool((pair.std(1) > 0).all())]
    lowest = min(found, default=0.0)
    return lowest if lowest * math.sqrt(use.target.numel()) < -BY_CHANCE else 0.0


def class_axis(use_input: Tensor) -> int:
    return 1 if use_input.dim() > 1 else 0


def _classes(use: Use) -> int:
    return use.input.shape[class_axis(use.input)] if use.input.dim() else 1


def _ignored(use: Use) -> float:
    index = use.options.get("ignore_index")
    if (
        use.name not in OVER_CLASSES
        or index is None
        or use.target.is_floating_point()
        or not use.target.numel()
    ):
        return 0.0
    return float((use.target == index).float().mean())


def _several_ones(target: Tensor) -> float:
    if target.dim() < 2 or not target.is_floating_point() or not bool(((target == 0) | (target == 1)).all()):
        return 0.0
    return float((target.sum(class_axis(target)) > 1).float().mean())


def _rows_sum_to_one(given: Tensor) -> bool:
    if given.dim() < 2 or given.shape[1] < 2:
        return False
    sums = given.sum(class_axis(given))
    return bool((given >= 0).all() and ((sums - 1).abs() < 1e-3).all())


def _log_rows_sum_to_one(given: Tensor) -> bool:
    if given.dim() < 2:
        return False
    axes = (class_axis(given), -1)  # kl_div is often used on the last axis
    return any(bool((given.logsumexp(axis).abs() < 1e-2).all()) for axis in axes)


def _outside(target: Tensor, squash: str) -> float:
    """Share of targets that the last activation cannot produce."""
    low, high = {
        "relu": (0.0, math.inf),
        "softplus": (0.0, math.inf),
        "sigmoid": (0.0, 1.0),
        "softmax": (0.0, 1.0),
        "tanh": (-1.0, 1.0),
        "hardtanh": (-1.0, 1.0),
    }.get(squash, (-math.inf, math.inf))
    return float(((target < low) | (target > high)).float().mean()) if target.numel() else 0.0


def _mean_value(use: Use) -> float:
    if use.reduction == "mean":
        return float(use.value.detach().float().mean())
    options = {key: value for key, value in use.options.items() if key not in ("size_average", "reduce")}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kl_div has an opinion about its own mean
        return float(getattr(F, use.name)(use.input, use.target, **(options | {"reduction": "mean"})))


def _chance(use: Use) -> float | None:
    """What it costs to know nothing: all classes alike, or the mean of the targets every time.

    A target that learns, too, moves with whatever is said: against it nobody can guess.
    """
    if use.target.requires_grad:
        return None
    if use.name in OF_YES_OR_NO and _weighted(use):
        return None  # a mean over rows, whatever they weigh
    if use.name in OVER_CLASSES or use.name in OF_YES_OR_NO:
        return cost_of_guessing(use.name, _classes(use))
    if use.name in COMPARES_NUMBERS and use.target.numel() > 1:
        target = use.target.detach().float()
        return float(getattr(F, use.name)(target.mean(0, keepdim=True).expand_as(target), target))
    if use.name == "poisson_nll_loss":
        return _chance_of_counts(use)
    return None


def _weighted(use: Use) -> bool:
    return any(use.options.get(name) is not None for name in ("weight", "pos_weight"))


def _chance_of_counts(use: Use) -> float | None:
    """The mean count every time; a model that says its logarithm is asked for that."""
    counts, options = use.target.detach().float(), use.options | {"reduction": "mean"}
    mean = counts.mean()
    if not mean > 0:
        return None
    said = mean.log() if use.options.get("log_input", True) else mean
    return float(F.poisson_nll_loss(said.expand_as(counts), counts, **options))


def _entropy(use: Use) -> float | None:
    """What it costs to know only how often each class occurs."""
    if (
        use.name not in OVER_CLASSES
        or use.target.is_floating_point()
        or use.options.get("weight") is not None
    ):
        return None
    kept = use.target[use.target != use.options.get("ignore_index", -100)]
    if not kept.numel() or int(kept.min()) < 0:
        return None
    shares = torch.bincount(kept.reshape(-1)).float() / kept.numel()
    return float(-(shares[shares > 0] * shares[shares > 0].log()).sum())


def _silent(use: Use, run: Run) -> float:
    """Share of examples at which the loss has no slope, at its own input or at the model's output; of those
    that it judges, for what it is told to ignore has none on purpose."""
    ignored = _ignored(use)
    silent = _without_slope(use.value, (use.input, *run.outputs), summed=use.reduction == "sum")
    return max(0.0, silent - ignored) / (1 - ignored) if ignored < 1 else silent


def flat(run: Run) -> float:
    """The same of a loss that no function of torch computes, at the model's output."""
    return 0.0 if run.uses else _without_slope(run.loss, run.outputs)


def _without_slope(loss: Tensor, places: Iterable[Tensor], summed: bool = False) -> float:
    if not loss.requires_grad:
        return 0.0
    shares = [0.0]
    for slope in gradients(loss.sum(), [t for t in places if t.requires_grad and t.dim() > 0], again=True):
        if slope is not None and slope.numel():
            examples = slope.detach().float().reshape(len(slope), -1).abs().amax(1)
            scale = 1.0 if summed else float(slope.numel())
            shares.append(float((examples * scale < 1e-6).float().mean()))  # healthy is about 1 an element
    return max(shares)


def _orphans(subject: Subject, use: Use, found: Slopes) -> tuple[str, ...]:
    """Parameters that only this loss would have trained, and that nothing trains now."""
    waiting = {name: p for name, p in subject.parameters().items() if found.get(name) is None}
    if not use.value.requires_grad:
        return ()
    reached = each_gradient(use.value.sum(), waiting, lambda *_: True, again=True)
    return tuple(name for name, there in reached.items() if there)
