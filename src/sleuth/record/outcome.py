"""Reads what a run shows: how far its loss came, how it scored, and whether another did clearly better."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sleuth.record.entries import Batch, Evaluation, LossCall, Metric, Optimizer, Record
from sleuth.record.questions import adversarial, chance
from sleuth.roles import names_held_out


@dataclass(frozen=True)
class Course:
    """A loss from its start to its end."""

    head: float
    tail: float
    noise: float  # spread of single losses around the tail
    lowest: float
    finite: bool
    falling: bool  # the last third is lower than the one before
    count: int = 5  # losses in the tail

    @property
    def doubt(self) -> float:
        """How far the tail's median may be off: two standard errors."""
        return 2.5 * self.noise / math.sqrt(self.count)

    @property
    def left(self) -> float:
        """What is left of the start, for losses that cannot be negative."""
        return self.tail / self.head if self.head > 0 else 1.0

    @property
    def went_nowhere(self) -> bool:
        """It ends about where it began and has stopped falling."""
        return self.finite and self.head > 0 and self.left > 0.9 and not self.falling


@dataclass(frozen=True)
class Score:
    """An outcome other than the training loss. `up`: higher is better."""

    name: str
    value: float
    up: bool
    rows: int = 0


TAIL_SHARE = 0.2  # of the steps: late enough to be the outcome, long enough to average the noise of batches
ALMOST_NOTHING = 0.1  # of where the loss began
FEWEST = 8  # losses from which a start and an end can be told apart
CLEARLY = 0.7  # a run is clearly better when what is left of the loss is below this share of the other's
MEMORISED = 0.15  # of the loss at the start: what is left when one batch has been learnt
LEARNT = 0.01  # of the loss at the start: less than this is learnt, whatever another run makes of the rest
FEWEST_ROWS = 100  # of an evaluation whose share of right answers is to say something
MOST_PHASES = 3  # optimizers in a run that each train something else
STALLED = 0.6  # more than this is left, and it has stopped falling

_HIGHER = re.compile(
    r"acc|f1|auc|precision|recall|r2|r\^2|iou|dice|map\b|bleu|score|correct|return|reward", re.I
)
_LOWER = re.compile(r"loss|err|mse|rmse|mae|perplexity|ppl|nll|bce|(?<![a-z])ce(?![a-z])|bpc|elbo", re.I)


def course(record: Record) -> Course | None:
    """The course of the loss that the first optimizer follows; None when too little was seen."""
    losses = main_losses(record)
    finite = [value for value in losses if math.isfinite(value)]
    if len(finite) < FEWEST:
        return None
    count = max(3, round(len(finite) * TAIL_SHARE))
    tail = finite[-count:]
    third = max(3, len(finite) // 3)
    before, last = finite[-2 * third : -third], finite[-third:]
    spread = statistics.pstdev(tail)
    # The very first loss stands before any step; later ones may already have fallen far in a short run.
    head = statistics.median(finite[: 3 if len(finite) < 60 else 5])
    median = statistics.median(tail)
    # More than the noise of the means, and more than the crumbs a curve at rest still loses.
    crumbs = max(0.5 * spread / math.sqrt(third), 0.003 * abs(median), 0.03 * abs(head - median))
    falls = bool(before) and statistics.fmean(before) - statistics.fmean(last) > crumbs
    return Course(head, median, spread, min(finite), len(finite) == len(losses), falls, count)


def main_losses(record: Record) -> tuple[float, ...]:
    """The losses behind the backward line that most steps follow, by one optimizer: a function that is called
    for a teacher and then for a student trains twice on the same line."""
    used = {step.optimizer for step in record.steps}
    apart = len(used) <= MOST_PHASES  # more: an optimizer made anew for every epoch
    groups: dict[tuple[str, int, int], list[float]] = {}
    for step in record.steps:
        if step.loss is not None:
            key = (step.loss_path, step.loss_line, step.optimizer if apart else 0)
            groups.setdefault(key, []).append(step.loss)
    longest = max(groups, key=lambda key: len(groups[key]), default=None)
    if longest is None:
        return ()
    return tuple(groups[longest]) if apart else _one_fold(record, groups[longest], longest[:2])


FOLD = 60  # losses from which a piece is a training of its own
BEGINS_ANEW = 0.8  # of the first loss of all: where another fold's model starts


def _one_fold(record: Record, losses: list[float], place: tuple[str, int]) -> tuple[float, ...]:
    """The first of several trainings on one line, each long enough and each from its own start."""
    pieces: dict[int, list[float]] = {}
    for step in record.steps:
        if step.loss is not None and (step.loss_path, step.loss_line) == place:
            pieces.setdefault(step.optimizer, []).append(step.loss)
    first, *others = pieces.values()
    start = statistics.median(first[:5])
    anew = [statistics.median(piece[:5]) >= BEGINS_ANEW * start for piece in others]
    # The last may have been broken off.
    folds = start > 0 and min(map(len, [first, *others[:-1]])) >= FOLD and all(anew)
    return tuple(first if folds else losses)


SAYS_ITS_TARGETS = 0.8  # of the steps at which a model is also asked without gradients


def chases_itself(record: Record) -> bool:
    """At nearly every step the model in training is also called without gradients, before the backward pass:
    to say its own targets, which grow as it learns. Where such a loss stands says nothing."""
    counted = Counter(step.pattern for step in record.steps[1:] if step.pattern in record.patterns)
    total = sum(counted.values())
    own = sum(count for number, count in counted.items() if _asks_itself(record.patterns[number].events))
    return total >= FEWEST and own >= SAYS_ITS_TARGETS * total


def _asks_itself(events: Sequence[tuple[str, int, int]]) -> bool:
    names = [name for name, _, _ in events]
    backward = names.index("backward") if "backward" in names else len(names)
    trained = {number for name, number, _ in events if name == "forward"}
    return any(name == "no_grad" and number in trained for name, number, _ in events[:backward])


def scores(record: Record) -> dict[str, Score]:
    """What the run reached at its end, by name: seen in evaluation passes, or printed by the script."""
    found: dict[str, Score] = {}
    for seen in record.of(Evaluation):
        if seen.correct is not None and seen.rows:
            found[f"accuracy at line {seen.line}"] = Score("accuracy", seen.correct, True, seen.rows)
        if seen.loss is not None and math.isfinite(seen.loss):
            found[f"loss at line {seen.line}"] = Score("evaluation loss", seen.loss, False, seen.rows)
    for metric in record.of(Metric):
        up = direction(metric.name)
        if up is not None and math.isfinite(metric.value):
            found[metric.name] = Score(metric.name, metric.value, up)
    return found


def direction(name: str) -> bool | None:
    """Whether higher is better, from the name; None where it does not say."""
    if _LOWER.search(name):
        return False
    return True if _HIGHER.search(name) else None


def better(base: Record, other: Record, same_loss: bool = True, told_by_loss: bool = True) -> bool | None:
    """Whether the other run did clearly better; None when it cannot be said.

    `same_loss` is False where the change touched the loss itself, so that its values cannot be compared;
    `told_by_loss` where no loss of this script tells how it goes, as of an agent that makes its own data.
    """
    verdicts = [_score_better(base, other, same_loss)]
    if not told_by_loss:
        return verdicts[0]
    if same_loss and not adversarial(base):
        verdicts.insert(0, course_better(course(base), course(other)))
    elif not same_loss:
        verdicts.append(_fell_further(course(base), course(other)))
    known = [verdict for verdict in verdicts if verdict is not None]
    if not known:
        return None
    if not same_loss and _score_worse(base, other):
        return False  # another loss that falls further and serves worse
    if same_loss and any(known) and not known[0]:
        return _no_higher(course(base), course(other))  # a better score counts where the loss does not object
    return any(known)


def _no_higher(base: Course | None, other: Course | None) -> bool:
    return base is None or other is None or (other.finite and other.tail <= base.tail)


def course_better(base: Course | None, other: Course | None) -> bool | None:
    if base is None and other is not None and other.finite:
        return other.left < CLEARLY
    if base is None or other is None:
        return None
    if base.finite != other.finite:
        return other.finite and (other.left < 1 or other.tail < base.tail)
    if base.tail > 0 and 0 <= other.head < CLEARLY * base.tail and other.tail < base.tail:
        return True  # untrained, the other stands where this one never came
    if base.head > 0 and 0 <= base.left < LEARNT:
        return False  # nothing of weight is left to do better in
    if base.lowest < 0 < base.head:
        return None  # a loss around zero (a policy gradient, a critic) does not tell how well it goes
    if base.head > 0 and base.tail >= 0 and other.tail >= 0:
        return other.tail < CLEARLY * base.tail and base.tail - other.tail > base.doubt
    moved = max(abs(base.head - base.tail), base.noise)
    return other.tail < base.tail - moved


def _fell_further(base: Course | None, other: Course | None) -> bool | None:
    """Each against its own start: for worlds in which the loss means something else."""
    if base is None or other is None or base.head <= 0 or other.head <= 0:
        return None
    return other.finite and other.left < CLEARLY * base.left


def _score_better(base: Record, other: Record, same_loss: bool) -> bool | None:
    """By what the script reports; a reported loss is no common measure where the loss itself was changed."""
    ours, theirs = scores(base), scores(other)
    shared = [name for name in ours if name in theirs and (same_loss or "loss" not in ours[name].name)]
    rated = [_clearly(ours[name], theirs[name]) and not _done(base, ours[name]) for name in shared]
    return None if not rated else any(rated) and not any(_clearly(theirs[n], ours[n]) for n in shared)


def _score_worse(base: Record, other: Record) -> bool:
    ours, theirs = scores(base), scores(other)
    return any(_clearly(theirs[n], ours[n]) for n in ours if n in theirs and "loss" not in ours[n].name)


def mostly_better(base: Record, other: Record) -> bool | None:
    """By more scores than it is worse by: what serves the rare classes costs the common one a little."""
    ours, theirs = scores(base), scores(other)
    shared = [name for name in ours if name in theirs and "loss" not in ours[name].name]
    gained = sum(_clearly(ours[name], theirs[name]) for name in shared)
    lost = sum(_clearly(theirs[name], ours[name]) for name in shared)
    return gained > lost if gained or lost else None


def held_out_better(base: Record, other: Record) -> bool | None:
    """By evaluation passes, or by what is told of them; None where there are none. Whoever takes away what
    holds the training loss up on purpose must show that something else is better for it."""
    ours, theirs = scores(base), scores(other)
    measured = [name for name, score in ours.items() if score.rows and name in theirs]
    shared = measured or [name for name in ours if name in theirs and names_held_out(name)]
    if not shared:
        return None
    ahead = any(_clearly(ours[name], theirs[name]) for name in shared)
    return ahead and not any(_clearly(theirs[name], ours[name]) for name in shared)


def _done(base: Record, before: Score) -> bool:
    """An error that is next to nothing beside where the loss began: less of it is no better."""
    seen = course(base)
    return not before.up and seen is not None and 0 <= before.value <= LEARNT * seen.head


def _clearly(before: Score, after: Score) -> bool:
    if before.up:
        percent = max(before.value, after.value) > 1.5
        slack = 5.0 if percent else 0.05
        if before.rows:  # two standard errors of the difference of two shares
            slack = max(slack, 2 * math.sqrt(0.5 / before.rows))
        return after.value > before.value + slack
    return before.value > 0 and after.value < CLEARLY * before.value


def memorises(record: Record) -> bool | None:
    """Whether one batch could be learnt by heart; None when it is still falling or nothing was seen."""
    seen = course(record)
    if seen is None or adversarial(record):  # of two players, one's memory is the other's loss
        return None
    if not seen.finite:
        return False
    if seen.head <= 0:
        return None if seen.falling else seen.tail < seen.head - 3 * seen.noise
    if seen.left < MEMORISED:
        return True
    return False if seen.left > STALLED and not seen.falling else None


AHEAD = 3  # steps on batches that were fetched before the first backward pass told which loop trains
STRAYS = 50  # one in so many steps may have seen another batch


def pinned(record: Record) -> bool:
    """Whether every step of a same-batch run really saw the same batch; each optimizer has its own."""
    steps = [step for step in record.steps if step.batch]
    prints: dict[int, list[str]] = {}
    for step in steps[AHEAD:]:
        prints.setdefault(step.optimizer, []).append(step.batch)
    held = all(len(set(own)) <= max(1, len(own) // STRAYS) for own in prints.values())
    return len(steps) >= FEWEST and (held or _each_model_kept_one(record))


def _each_model_kept_one(record: Record) -> bool:
    """Of several models each was given one same batch all the time, whatever they make for each other: what
    a generator draws changes as it learns."""
    seen: dict[int, dict[int, set[str]]] = {}
    for batch in record.of(Batch):
        if batch.phase == "train" and batch.fingerprint and batch.n >= AHEAD:
            seen.setdefault(batch.model, {}).setdefault(batch.n, set()).add(batch.fingerprint)
    return len(seen) > 1 and all(_kept_one(given, len(record.steps) / 2) for given in seen.values())


def _kept_one(given: Mapping[int, set[str]], late: float) -> bool:
    """By the windows in which all calls of a model were looked at: now and then only one of two is."""
    most = max(map(len, given.values()))
    whole = {n: prints for n, prints in given.items() if len(prints) == most}
    return len(whole) >= FEWEST - AHEAD and max(whole) >= late and bool(set.intersection(*whole.values()))


def as_well(base: Record, other: Record) -> bool | None:
    """Whether a run robbed of its signal does as well as the real one."""
    if adversarial(base):
        return None
    ours, theirs = scores(base), scores(other)
    shares = [
        (ours[name].value, theirs[name].value, ours[name].rows)
        for name in ours
        if name in theirs and ours[name].name == "accuracy"
    ]
    for mine, robbed, rows in shares:
        if mine - robbed > max(0.05, 2 * math.sqrt(0.5 / rows)):
            return False
    first, second = course(base), course(other)
    if first is None or second is None or not first.finite:
        return None
    if first.head > 0 and first.tail >= 0:
        # Of what is drawn anew at every step nothing can be learnt by heart: who needs no signal has none.
        learnt_all = second.finite and 0 <= second.tail <= LEARNT * second.head
        return learnt_all or first.tail > 0.92 * second.tail
    return first.tail > second.tail - 0.2 * max(abs(first.head - first.tail), first.noise)


NOTHING_LEARNT = 0.93  # of the loss is left


def without_a_signal(base: Record, other: Record, memorises: bool) -> bool | None:
    """As `as_well`; of a script that learns nothing at all it says nothing, unless it can learn one batch."""
    does = as_well(base, other)
    seen = course(base)
    blank = seen is not None and seen.left > NOTHING_LEARNT
    return None if does and blank and not memorises else does


def told_by_its_rate(base: Record) -> bool:
    """Whether another learning rate can change how it goes, and the loss would tell."""
    return bool(base.steps) and bool(base.of(Optimizer)) and not adversarial(base)


def short(value: float) -> str:
    """A number in three digits."""
    return f"{value:.3g}" if math.isfinite(value) else str(value)


def ends_elsewhere(base: Record, other: Record) -> bool | None:
    """Whether another seed came out clearly different, one way or the other."""
    ahead, behind = better(base, other), better(other, base)
    return None if ahead is None and behind is None else bool(ahead or behind)


A_FEW = 12  # steps that two runs are compared over: rounding has no time to grow
ROUNDING = 1e-4  # of a loss; sums in another order differ by about 1e-7 at first


def parting(base: Record, again: Record) -> tuple[int, float, float] | None:
    """The first of the first steps at which two runs part by more than rounding, and both losses there."""
    pairs = zip((s.loss for s in base.steps), (s.loss for s in again.steps), strict=False)
    for number, (ours, theirs) in enumerate(list(pairs)[:A_FEW]):
        if ours is None or theirs is None or ours == theirs or (ours != ours and theirs != theirs):
            continue
        if not abs(ours - theirs) <= ROUNDING * max(abs(ours), abs(theirs)):
            return number, ours, theirs
    return None


def parts(base: Record, again: Record) -> bool | None:
    """Whether two runs of one script part; None when too little was seen to say so."""
    if sum(step.loss is not None for step in again.steps) < min(FEWEST, len(base.steps)):
        return None
    return parting(base, again) is not None


def chance_level(record: Record) -> float | None:
    """The loss of guessing, where a loss function that training calls says what that is."""
    calls = (call for call in record.of(LossCall) if call.phase == "train")
    return next((level for call in calls if (level := chance(call)) is not None), None)


_SQUARES, _SIZES = ("mse_loss",), ("l1_loss", "smooth_l1_loss", "huber_loss")


def _only_calls(record: Record) -> list[LossCall]:
    """The training calls of a loss that has one line and takes the mean; none where there are several."""
    calls = [call for call in record.of(LossCall) if call.phase == "train" and call.requires_grad]
    return (
        calls if len({(call.path, call.line) for call in calls}) == 1 and calls[0].reduction == "mean" else []
    )


MORE = 1.1  # of what the loss functions of torch said: beyond that, something was added by hand


def beside_guessing(record: Record) -> float | None:
    """What is left at the end, as a share of what one answer for all examples would cost; None: not known.

    Of a loss with further terms only the part that torch's loss functions said is held to it.
    """
    calls = [call for call in record.of(LossCall) if call.phase == "train" and call.requires_grad]
    terms = _at_once(calls)
    said = [step.called_loss for step in record.steps if step.called_loss is not None]
    if len(terms) > 1 or _more_than(record, said):
        guesses = [_of_a_constant(call) for call in terms]
        known = [guess for guess in guesses if guess is not None]
        late = said[-max(3, round(len(said) * TAIL_SHARE)) :]
        return statistics.median(late) / sum(known) if late and known and len(known) == len(terms) else None
    guess, seen = of_a_constant(record), course(record)
    return None if guess is None or seen is None else seen.tail / guess


def _at_once(calls: Sequence[LossCall]) -> list[LossCall]:
    """The loss functions that one step calls: those of the step at which most were seen, one a line."""
    steps: dict[int, dict[tuple[str, int], LossCall]] = {}
    for call in calls:
        steps.setdefault(call.n, {})[call.path, call.line] = call
    return list(max(steps.values(), key=len).values()) if steps else []


def _more_than(record: Record, said: Sequence[float]) -> bool:
    whole = [step.loss for step in record.steps if step.called_loss is not None]
    ratios = [loss / part for loss, part in zip(whole, said, strict=True) if loss is not None and part > 0]
    return bool(ratios) and statistics.median(ratios) > MORE


def of_a_constant(record: Record) -> float | None:
    """The loss of one answer for all examples: that of guessing, or for squares the spread of the targets."""
    guess = chance_level(record)
    if guess is not None:
        return guess
    calls = [call for call in _only_calls(record) if call.function in _SQUARES]
    seen = [call.target_variance for call in calls if call.target_variance is not None]
    return statistics.fmean(seen) if seen and calls[0].input_shape == calls[0].target_shape else None


def _of_a_constant(call: LossCall) -> float | None:
    """The same of one call."""
    guess = chance(call)
    if guess is not None or call.function not in _SQUARES or call.reduction != "mean":
        return guess
    return call.target_variance if call.input_shape == call.target_shape else None


def ceiling(record: Record) -> float | None:
    """A loss that one constant, halfway between the targets, is sure to stay below; None: not known."""
    calls = _only_calls(record)
    bounds = [b for call in calls for b in (call.target_min, call.target_max) if b is not None]
    half = (max(bounds) - min(bounds)) / 2 if bounds else 0.0
    if half <= 0:
        return None
    function = calls[0].function
    return half**2 if function in _SQUARES else half if function in _SIZES else None


def guesses(record: Record) -> Evaluation | None:
    """The last evaluation after training, where its share of right answers is no better than guessing. Rows
    that are to find themselves among the others of their batch have no classes to be judged by."""
    calls = [call for call in record.of(LossCall) if call.phase == "train"]
    classes = max((c.classes or 0 for c in calls if c.input_shape[:2] != (c.classes, c.classes)), default=0)
    seen = [e for e in record.of(Evaluation) if e.correct is not None and e.n > 0 and e.rows >= FEWEST_ROWS]
    if classes < 2 or not seen:
        return None
    share = 1 / classes
    doubt = 2 * math.sqrt(share * (1 - share) / seen[-1].rows)
    return seen[-1] if (seen[-1].correct or 0.0) <= share + doubt else None


def unstable(losses: Sequence[float]) -> bool:
    """The loss explodes, ends above its start, or swings by more than its own size."""
    finite = [value for value in losses if math.isfinite(value)]
    if len(finite) < len(losses) or len(finite) < FEWEST:
        return len(finite) < len(losses)
    count = max(3, round(len(finite) * TAIL_SHARE))
    tail, head = finite[-count:], statistics.median(finite[:3])
    settled = statistics.median(tail)
    if min(finite) < 0:  # around zero nothing is large beside the loss itself: the start's own noise measures
        return statistics.pstdev(tail) > 3 * max(statistics.pstdev(finite[:count]), abs(head))
    if head > 0 and settled > 1.5 * head:
        return True
    # What swings around almost nothing swings by little: beside where it began, it has settled.
    around = max(abs(settled), ALMOST_NOTHING * abs(head))
    swings = statistics.pstdev(tail) / around if around else 0.0
    return swings > 1.0 or max(finite) > 20 * max(abs(head), 1e-12)
