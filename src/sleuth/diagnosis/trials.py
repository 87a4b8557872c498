"""What the experiments of a case have shown so far: the facts that a cause's `experiment()` may ask."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sleuth.experiments import Experiment
from sleuth.record import outcome
from sleuth.record.entries import Evaluation, Optimizer, Record
from sleuth.record.outcome import Course
from sleuth.record.questions import LINE_SEARCHES, adversarial

ABOUT = 0.95  # of what one constant costs: the noise of batches hides less
LITTLE = 0.2  # of the loss at the start


@dataclass(frozen=True)
class Trial:
    """One experiment, made. `yes` is None where it said nothing; `detail` is what was seen."""

    experiment: Experiment
    yes: bool | None
    detail: str = ""
    record: Record | None = None
    seconds: float = 0.0

    @property
    def figures(self) -> str:
        """The numbers of `detail`, without the words of the answer that stand before them."""
        words, opened, numbers = self.detail.partition(" (")
        return numbers.removesuffix(")") if opened else words


@dataclass(frozen=True)
class Trials:
    """The script's own run and the same script in changed worlds."""

    base: Record
    whole: bool  # the base run came to its own end; False: it was cut short
    made: Mapping[str, Trial] = field(default_factory=dict)
    plays: bool = False  # an agent that makes its own data or targets: its loss does not tell how it goes

    def yes(self, name: str) -> bool | None:
        """The answer of an experiment; None when there is none (yet)."""
        trial = self.made.get(name)
        return None if trial is None else trial.yes

    def figures(self, name: str) -> str:
        trial = self.made.get(name)
        return "" if trial is None else trial.figures

    @cached_property
    def course(self) -> Course | None:
        return outcome.course(self.base)

    def course_in(self, name: str) -> Course | None:
        trial = self.made.get(name)
        return None if trial is None or trial.record is None else outcome.course(trial.record)

    def losses_in(self, name: str) -> tuple[float, ...]:
        trial = self.made.get(name)
        return () if trial is None or trial.record is None else outcome.main_losses(trial.record)

    @cached_property
    def losses(self) -> tuple[float, ...]:
        return outcome.main_losses(self.base)

    @cached_property
    def went_nowhere(self) -> bool:
        return self.course is not None and not self.plays and self.course.went_nowhere

    @cached_property
    def unstable(self) -> bool:
        return outcome.unstable(self.losses)

    @cached_property
    def poor(self) -> bool:
        """The training loss ends at what guessing would give, or near where it began."""
        if self.plays:
            return False
        if self.course is None:
            return not all(map(_finite, self.losses))
        if (self.beside_guessing or 0.0) > 0.85 or self.below_a_constant:
            return True
        return self.course.head > 0 and self.course.left > 0.7

    @cached_property
    def below_a_constant(self) -> bool:
        """However far the loss fell, one answer for all examples would do as well."""
        if self.beside_guessing is not None:
            return self.beside_guessing > ABOUT
        most = outcome.ceiling(self.base)
        return most is not None and self.course is not None and self.course.tail > most

    @cached_property
    def beside_guessing(self) -> float | None:
        return outcome.beside_guessing(self.base)

    @cached_property
    def guesses(self) -> Evaluation | None:
        """An evaluation after training that is no better than guessing, whatever the loss says."""
        return outcome.guesses(self.base)

    @cached_property
    def learns(self) -> bool:
        """The loss came down far and stayed finite: whatever looks odd does not keep it from learning."""
        course = self.course
        return (
            course is not None
            and course.finite
            and course.head > 0
            and course.left < 0.4
            and not self.unstable
            and not self.below_a_constant
        )

    @cached_property
    def came_far(self) -> bool:
        """Whatever the loss did on its way (folds begin anew, small batches waver), little of it is left."""
        course = self.course
        return course is not None and course.finite and course.head > 0 and 0 <= course.left < LITTLE

    @cached_property
    def told_by_its_loss(self) -> bool:
        """Whether the course of the loss says how training goes: not of two players that pull at each other,
        nor of an optimizer whose first step is a search that may do nearly all of it."""
        searches = self.optimizer is not None and self.optimizer.type in LINE_SEARCHES
        return not adversarial(self.base) and not searches

    @cached_property
    def had_its_time(self) -> bool:
        """The run came to its own end, or stopped falling: what it did not learn it would not have learnt."""
        return self.whole or (self.course is not None and not self.course.falling)

    @cached_property
    def optimizer(self) -> Optimizer | None:
        made = self.base.of(Optimizer)
        used = {step.optimizer for step in self.base.steps}
        return next((entry for entry in made if entry.id in used), None)


def _finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")
