"""Which experiment is made next: the one that tells most for its time, or none when the case is clear."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sleuth.diagnosis.case import Case
from sleuth.diagnosis.experiments import worth_trying
from sleuth.diagnosis.trials import Trials
from sleuth.experiments import Experiment, experiments, same_batch, undoing
from sleuth.experiments.noise_inputs import EXPERIMENT as NOISE
from sleuth.finding import FAULTS
from sleuth.judge.board import best_next
from sleuth.judge.experiments import NOTHING, OTHER, can_be_undone
from sleuth.judge.relations import says
from sleuth.judge.weigh import Weighed, doubts, helped
from sleuth.places.chance import left_to_chance
from sleuth.record.entries import Seed

SIGNAL = NOISE.group  # experiments that take the signal away
SURE = 0.9  # credence at which a confirmed cause closes the case
SUSPECT = 0.02  # credence from which taking a suspect back is worth considering
LEAST_GAIN = 0.03  # bits; below this an experiment is a waste of time


def next_experiment(case: Case, running: set[str], seconds: float) -> Experiment | None:
    """The most telling experiment for its cost; None when the case is closed or the budget is spent."""
    if case.trials is None:
        return None
    chosen = _chosen(case, running, seconds)
    affordable = chosen is None or case.left >= seconds * 1.2
    case.next_experiment = "" if affordable or chosen is None else chosen.name
    return chosen if affordable else None


def _chosen(case: Case, running: set[str], seconds: float) -> Experiment | None:
    assert case.trials is not None
    weighed = case.weighed()
    board = weighed.board
    choices = [one for one in _open(case, weighed) if one.name not in case.made and one.name not in running]
    for one in choices:
        if one.name in case.request.wanted:
            return one
    if _closed(case, board):
        return None
    if _calm(case, weighed):
        return next(_quiet(choices, doubts(weighed.observed)), None)
    confirming = [one for one in choices if one.cause == _leader(board)]
    if confirming and board[_leader(board)] > 0.5:
        return confirming[0]  # the leading suspect taken back: the one experiment that confirms
    nearer = _likely_rate(case.trials)
    odd = [one for one in choices if nearer is not None and nearer(one.rate)]
    if odd:
        return odd[0]
    best = best_next(board, _rates_first(case, choices), seconds)
    return best[0] if best is not None and best[1] >= LEAST_GAIN else None


def _quiet(choices: list[Experiment], doubted: Sequence[str]) -> Iterator[Experiment]:
    """What is asked of a script that shows no clue and no trouble: first what it seems to have overcome, then
    the settings that hold back quietly."""
    yield from (one for slug in doubted for one in choices if one.cause == slug)
    yield from sorted((one for one in choices if one.when_calm), key=lambda one: one.when_calm)


# Rates that need no reason: of optimizers that scale their steps (torch's default is 0.001), and of SGD.
CUSTOMARY, CUSTOMARY_SGD = (2e-4, 5e-3), (3e-3, 0.3)


def _rates_first(case: Case, choices: list[Experiment]) -> list[Experiment]:
    """Where little is learnt, noise does as well and says nothing; another rate may, and the likelier of the
    two is asked first. What learns one batch by heart at its rate, and little of all the others, is another
    matter: there the question is whether its inputs say anything."""
    trials = case.trials
    assert trials is not None
    rates = [one for one in choices if one.rate]
    both = len({one.rate > 1 for one in rates}) == 2
    by_heart = trials.yes(same_batch.EXPERIMENT.kind) is False and not both
    if not (trials.went_nowhere or trials.poor) or not rates or by_heart:
        return choices
    unlikely = _unlikely_rate(trials) if both else None
    return [one for one in choices if one.group != SIGNAL and not (unlikely and unlikely(one.rate))]


def _unlikely_rate(trials: Trials) -> "Direction | None":
    """A loss that swings asks for a lower rate, one that falls calmly for a higher one; of one that stands
    still, the rate itself says in which direction there is more room."""
    if trials.unstable:
        return _higher
    if trials.course is not None and trials.course.falling:
        return _lower
    likely = _likely_rate(trials)
    return None if likely is None else _lower if likely is _higher else _higher


def _likely_rate(trials: Trials) -> "Direction | None":
    """Of a loss that stands still at a rate that few would choose, the rate nearer to custom."""
    used = trials.optimizer
    if not trials.went_nowhere or used is None or not used.lr:
        return None
    low, high = CUSTOMARY_SGD if used.type == "SGD" else CUSTOMARY
    return _higher if used.lr < low else _lower if used.lr > high else None


Direction = Callable[[float], bool]  # of a factor to the learning rate; 0 where an experiment leaves it


def _higher(factor: float) -> bool:
    return factor > 1


def _lower(factor: float) -> bool:
    return 0 < factor < 1


def _leader(board: Mapping[str, float]) -> str:
    return max((h for h in board if h not in (NOTHING, OTHER)), key=lambda h: board[h])


def _open(case: Case, weighed: Weighed) -> list[Experiment]:
    assert case.trials is not None
    board = weighed.board
    named = [one for one in experiments().values() if worth_trying(one, case.trials)]
    if not _meant_to_repeat(case):
        named = [one for one in named if not one.fresh]
    suspected = [h for h, share in board.items() if h not in (NOTHING, OTHER) and share > SUSPECT]
    return named + [undoing(h) for h in {*suspected, *doubts(weighed.observed)} if can_be_undone(h)]


def _meant_to_repeat(case: Case) -> bool:
    """Seeds are set, and something in the source may come out differently all the same."""
    assert case.trials is not None
    seeded = bool(case.trials.base.of(Seed))
    suspected = any(says(e.cause, "MEANS_CHANCE") and e.telling in FAULTS for e in case.evidence)
    return suspected or (seeded and left_to_chance(case.sources) is not None)


def _closed(case: Case, board: Mapping[str, float]) -> bool:
    leader = _leader(board)
    asked = undoing(leader).name in case.made or not can_be_undone(leader)
    return board[leader] > SURE and asked


def _calm(case: Case, weighed: Weighed) -> bool:
    """Neither a serious clue, nor an experiment that helped, nor trouble in the run itself."""
    assert case.trials is not None
    trials = case.trials
    serious = any(one.telling in FAULTS for one in weighed.evidence)
    trouble = trials.went_nowhere or trials.unstable or trials.poor or trials.guesses is not None
    return not serious and not helped(weighed.observed) and not trouble
