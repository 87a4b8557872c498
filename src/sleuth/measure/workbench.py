"""The bench: a model, a batch and a loss, and everything a detector may ask about them.

Every answer is plain numbers, measured once, on objects that are put back bit for bit afterwards.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from torch import nn

from sleuth.errors import SleuthError
from sleuth.measure import (
    batch_contents,
    batches,
    choices,
    constant_axis,
    custom_backward,
    cut_gradients,
    first_pass,
    influence,
    loss_experiments,
    loss_terms,
    many_examples,
    memorise,
    modes,
    numerics,
    optimizer,
    pass_time,
    zero_gates,
)
from sleuth.measure.batch_contents import Data
from sleuth.measure.choices import Unmoved
from sleuth.measure.constant_axis import Sameness
from sleuth.measure.custom_backward import CustomGradient
from sleuth.measure.cut_gradients import Cuts
from sleuth.measure.first_pass import FirstPass, Silence
from sleuth.measure.fits import Fit
from sleuth.measure.gradients import ParameterFacts
from sleuth.measure.influence import Causality, Ceiling, Mixing, Reach
from sleuth.measure.loss_experiments import Downhill, Wiring
from sleuth.measure.loss_terms import Terms
from sleuth.measure.many_examples import Copies, LabelFacts, Neighbours, Split
from sleuth.measure.memorise import Memory
from sleuth.measure.modes import Affine, Modes, Shapes
from sleuth.measure.not_examined import NotApplicable, OutOfTime, one_line
from sleuth.measure.numerics import Numerics, Precision
from sleuth.measure.optimizer import NoiseScale, RateRange, Updates
from sleuth.measure.sandbox import at_rest, kept
from sleuth.measure.subject import Step, Subject, checked, listed, step_of

__all__ = ["NotApplicable", "Workbench"]

Answer = TypeVar("Answer")
# Measurements that no cause is judged by: worth reading, and worth leaving out when time is short.
FOR_THE_PAGE = frozenset({"downhill", "precision", "shapes", "learning-rate range", "gradient noise"})
# Passes forward and backward that a measurement needs, as measured on four models, with room to spare. Those
# that need more the longer they are let run look at the clock themselves; this is what they begin with.
USUAL = 3.0
PASSES: Mapping[str, float] = {
    "data": 0, "labels": 0, "copies of the target": 0, "neighbours": 0, "split": 0,
    "influence of features": 1.5, "influence of the future": 1.5, "modes": 1.5, "shapes": 2, "affinity": 2,
    "precision": 2, "updates": 2.5, "gradient noise": 3.5, "influence of other examples": 4,
    "learning-rate range": 3, "gates": 4.5, "memorise": 4, "loss terms": 6, "cut paths": 5,
    "hand-written gradients": 5,
}  # fmt: skip


class Workbench:
    """What detectors ask. A question that makes no sense here raises NotApplicable, with the reason."""

    def __init__(
        self,
        model: nn.Module,
        batch: Any,
        loss_fn: Any = None,
        *,
        step: Step | None = None,
        optimizer: Any = None,
        loader: Any = None,
        val_loader: Any = None,
        seed: int = 0,
        budget: float = 30.0,
        memorise: bool = True,
        memorise_steps: int = memorise.STEPS,
        quick: bool = False,
        fits: Sequence[Fit] = (),
        started: float | None = None,
    ) -> None:
        if not isinstance(model, nn.Module):
            raise SleuthError(f"The model is a {type(model).__name__}; expected a torch.nn.Module.")
        run = step_of(model, loss_fn, step)
        held = listed(optimizer)
        since = time.monotonic() if started is None else started
        self.subject = Subject(model, batch, run, held, loader, val_loader, seed, budget, since)
        self.timing: dict[str, float] = {}
        self.fits = tuple(fits)
        self._memorise, self._memorise_steps = memorise and not quick, memorise_steps
        self._quick = quick
        self._known: dict[str, Any] = {}
        checked(self.subject)

    @property
    def first(self) -> FirstPass:
        """One pass forward and backward in train mode."""
        return self._once("first pass", self._first_pass)

    def _first_pass(self, subject: Subject) -> FirstPass:
        found, seconds = first_pass.first_pass(subject)
        self.subject = replace(subject, pass_seconds=seconds)
        return found

    @property
    def failure(self) -> str:
        """What model or loss raised when they were run; empty when they ran."""
        reason = self._why_no_first()
        return "" if reason is None or isinstance(reason, OutOfTime) else str(reason)

    @property
    def late(self) -> str:
        """Why not even one pass was made, when that is for want of time."""
        reason = self._why_no_first()
        return str(reason) if isinstance(reason, OutOfTime) else ""

    def _why_no_first(self) -> NotApplicable | None:
        try:
            self.first  # noqa: B018  asked for its side effect: the answer or the reason is kept
        except NotApplicable as reason:
            return reason
        return None

    @property
    def data(self) -> Data:
        """The batch; its roles are guessed when the model cannot be run."""
        if self._why_no_first() is None:
            return self.first.data
        return self._once(
            "data", lambda s: batch_contents.describe(s.batch, batch_contents.guessed_roles(s.batch))
        )

    @property
    def terms(self) -> Terms:
        if self.first.terms < 2:
            raise NotApplicable(loss_terms.ONE)
        return self._once("loss terms", partial(loss_terms.measure, targets=self._targets))

    @property
    def wiring(self) -> Wiring:
        return self._once("loss wiring", partial(loss_experiments.measure, targets=self._targets))

    @property
    def downhill(self) -> Downhill:
        return self._once("downhill", loss_experiments.downhill)

    @property
    def numerics(self) -> Numerics:
        return self._once("numerics", partial(numerics.measure, seen=self.first.sound))

    @property
    def precision(self) -> Precision:
        return self._once("precision", numerics.precision)

    @property
    def mixing(self) -> Mixing:
        return self._once("influence of other examples", partial(influence.mixing, inputs=self._inputs))

    @property
    def causality(self) -> Causality:
        judged = [math.prod(use.target_shape) for use in self.first.losses]
        question = partial(
            influence.causality,
            inputs=self._inputs,
            targets=self.first.names("target"),
            judged=judged,
            ahead=[use.ahead for use in self.first.losses],
        )
        return self._once("influence of the future", question)

    @property
    def reach(self) -> Reach:
        return self._once("influence of features", partial(influence.reach, inputs=self._inputs))

    @property
    def ceiling(self) -> Ceiling:
        return self._once("influence of parameters", influence.ceiling)

    @property
    def sameness(self) -> Sameness | None:
        return self._once("sameness of predictions", constant_axis.measure)

    @property
    def unmoved(self) -> Unmoved | None:
        return self._once("predictions at other weights", choices.measure)

    @property
    def modes(self) -> Modes:
        return self._once("modes", modes.modes)

    @property
    def shapes(self) -> Shapes:
        return self._once("shapes", modes.shapes)

    @property
    def affine(self) -> Affine:
        layers = max((layer.depth for layer in self.first.activations.layers), default=0)
        return self._once("affinity", partial(modes.affine, inputs=self._inputs, layers=layers))

    @property
    def cuts(self) -> Cuts:
        return self._once("cut paths", partial(cut_gradients.measure, gradients=self.first.gradients))

    @property
    def custom(self) -> CustomGradient:
        if not self.first.own_backward:
            raise NotApplicable(custom_backward.NONE)
        return self._once("hand-written gradients", custom_backward.measure)

    @property
    def labels(self) -> LabelFacts:
        return self._once("labels", partial(many_examples.labels, targets=self._targets))

    @property
    def copies(self) -> Copies:
        return self._once("copies of the target", partial(many_examples.copies, targets=self._targets))

    @property
    def neighbours(self) -> Neighbours:
        return self._once("neighbours", partial(many_examples.neighbours, targets=self._targets))

    @property
    def split(self) -> Split:
        return self._once("split", partial(many_examples.split, targets=self._targets))

    @property
    def updates(self) -> Updates:
        return self._once("updates", optimizer.updates)

    @property
    def rate_range(self) -> RateRange:
        return self._once("learning-rate range", optimizer.rate_range)

    @property
    def noise_scale(self) -> NoiseScale:
        return self._once("gradient noise", optimizer.noise_scale)

    @property
    def memory(self) -> Memory:
        if not self._memorise:
            raise NotApplicable("the memorise test was switched off")
        asked = partial(memorise.measure, inputs=self._inputs, steps=self._memorise_steps)
        return self._once("memorise", asked)

    @property
    def woken(self) -> frozenset[str]:
        """Parameters that get a gradient after a few steps, though perhaps none in the first."""
        return self._once("gates", zero_gates.woken)

    def wakes(self, parameter: ParameterFacts) -> bool:
        """Whether a parameter without any gradient stands behind a gate that is about to open."""
        if parameter.gradient != 0.0:
            return False
        try:
            return parameter.name in self.woken
        except NotApplicable:
            return True  # it could not be tried: nothing is said against it

    def silence(self, number: int) -> Silence:
        """The n-th rectifier again, with further batches where there is a loader."""

        def look(subject: Subject) -> Silence:
            more = [] if subject.loader is None else list(many_examples.tables(subject.loader))
            return first_pass.silence(subject, number, more)

        return self._once(f"silence of rectifier {number}", look)

    @property
    def _inputs(self) -> tuple[str, ...]:
        return self.first.names("input")

    @property
    def _targets(self) -> tuple[str, ...]:
        """Pure targets: what is an input as well (an autoencoder's) tells nothing about labels."""
        return tuple(part.name for part in self.data.tensors if part.role == "target")

    def _once(self, name: str, question: Callable[[Subject], Answer]) -> Answer:
        """Ask once; keep the answer, or the reason why there is none."""
        if self._quick and name in FOR_THE_PAGE:
            raise NotApplicable("left out to be quick")
        if name not in self._known:
            started = time.perf_counter()
            self._known[name] = self._answer(name, question)
            self.timing[name] = time.perf_counter() - started
        found = self._known[name]
        if isinstance(found, NotApplicable):
            raise type(found)(*found.args)
        return found  # type: ignore[no-any-return]

    def _answer(self, name: str, question: Callable[[Subject], Any]) -> Any:
        subject = self.subject
        others = [item for item in (subject.loader, subject.val_loader) if item is not None]
        try:
            if name == "first pass":
                with kept(subject.model, subject.seed, others, subject.batch), at_rest(subject.optimizers):
                    pass_time.need_room_for_the_first(subject)
            elif passes := PASSES.get(name, USUAL):
                if self.late:
                    raise OutOfTime(self.late)
                # It cannot be stopped midway: it is not begun without room for it.
                self.subject.need_room_for(passes)
                subject = self.subject
            with kept(subject.model, subject.seed, others, subject.batch), at_rest(subject.optimizers):
                return question(subject)
        except NotApplicable as reason:
            return type(reason)(*reason.args)  # the old one keeps its frames, and their tensors, alive
        except SleuthError as error:
            return NotApplicable(str(error))
        except Exception as error:  # the user's code or an odd shape: said, and the other questions go on
            return NotApplicable(one_line(error))


def example_batch(loader: Any) -> Any:
    """The first batch of a loader, for those who give a loader and no batch."""
    return batches.first_batch(loader)
