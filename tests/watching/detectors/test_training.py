"""The training family: a spoiled record and its healthy twin for each cause."""

import math
from dataclasses import replace
from typing import Any

import pytest

from sleuth.record.entries import (
    Batch,
    End,
    Evaluation,
    Holding,
    Layer,
    Layers,
    Load,
    Loader,
    LossCall,
    Metric,
    Model,
    Optimizer,
    Overwritten,
    Pattern,
    Record,
    Scheduler,
    Step,
    Warned,
)
from tests.watching.detectors import records
from tests.watching.detectors.records import (
    ORDER,
    Twins,
    add,
    cases,
    drop,
    ended,
    found,
    healthy,
    pattern,
    serious,
    spoil,
)

ALL_OF_IT = tuple(part.name for part in records.model().parameters)
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
TWICE = "Trying to backward through the graph a second time"
INPLACE = "one of the variables needed for gradient computation has been modified by an inplace operation"
BEFORE = "Detected call of `lr_scheduler.step()` before `optimizer.step()`."
EMPTY: dict[str, Any] = {"grad_norm": None, "grad_norm_at_step": None, "update_norm": 0.0}


def steps(**changes: Any) -> Record:
    return spoil(healthy(), Step, **changes)


def holding(**changes: Any) -> Record:
    record = spoil(healthy(), Holding, **changes)
    return spoil(record, Layers, updates={}) if changes.get("missing") else record


def game(record: Record) -> Record:
    return add(
        spoil(record, Step, optimizer=lambda s: 1 + s.n % 2),
        Optimizer(2, "SGD", 22, "train.py", parameters=5),
    )


def rate(record: Record, at: Any) -> Record:
    return spoil(record, Step, lr=lambda s: at(s.n))


def plan(kind: str, **settings: Any) -> Scheduler:
    return Scheduler(1, kind, 1, 23, "train.py", settings=settings)


def scheduled(made: Scheduler, each_step: bool = True) -> Record:
    """A schedule stepped after each optimizer step, or once in 50."""
    record = add(healthy(), made)
    late = ("scheduler", *(name for name, _, _ in ORDER))
    if each_step:
        return pattern(record, *late)
    record = add(record, Pattern(2, tuple((name, 1, 10) for name in late)))
    return spoil(record, Step, pattern=lambda s: 2 if s.n and s.n % 50 == 0 else 1)


def without_gradient(*names: str) -> Record:
    def lost(seen: Layers) -> dict[str, float | None]:
        return {name: None if name in names else norm for name, norm in seen.gradients.items()}

    return spoil(healthy(), Layers, gradients=lost)


def frozen(record: Record, *names: str) -> Record:
    def changed(model: Model) -> Any:
        return tuple(replace(p, trainable=p.trainable and p.name not in names) for p in model.parameters)

    record = spoil(record, Model, parameters=changed)
    return spoil(record, Layers, updates=lambda s: {k: v for k, v in s.updates.items() if k not in names})


def remade(kind: type[Any], every: int, times: int, record: Record | None = None, **changes: Any) -> Record:
    record = record or healthy()
    first = record.of(kind)[0]
    again = [replace(first, id=2 + k, n=every * (1 + k), **changes) for k in range(times)]
    held = [Holding(2 + k, every * (1 + k), {"1": 5}) for k in range(times)] if kind is Optimizer else []
    return add(record, *again, *held)


def told(value: Any, **changes: Any) -> Record:
    """The healthy run that prints its training loss every 20 steps."""
    reports = [Metric("loss", value(n), n, line=33) for n in range(20, 121, 20)]
    return add(healthy(), *(replace(report, **changes) for report in reports))


def mean(begin: int, end: int) -> float:
    return sum(records.falling(n) for n in range(begin, end)) / (end - begin)


def passes(**changes: Any) -> Record:
    return spoil(healthy(), Evaluation, **changes)


def recurrent(record: Record) -> Record:
    return spoil(record, Model, layers=(Layer("rnn", "GRU", 6, "train.py"),))


STATEFUL = recurrent(steps(graph=lambda s: 40 + 30 * s.n))
SAW_TOOTH = recurrent(steps(graph=lambda s: 245 * (1 + s.n % 9)))  # the state is new in each epoch
TEXTS = recurrent(steps(graph=lambda s: 100 + 37 * (s.n * 7 % 11)))
ACCUMULATED = steps(backwards=4)
PLAIN = spoil(ACCUMULATED, Optimizer, type="SGD")
CLIPPED = pattern(
    steps(clip=0.5, clipped_norm=1.0, grad_norm_at_step=0.5),
    "zero_grad",
    "forward",
    "loss",
    "backward",
    "clip",
    "step",
)
MISPLACED = pattern(
    steps(clip=0.5, clipped_norm=1.0), "clip", "zero_grad", "forward", "loss", "backward", "step"
)
READ_ONLY = spoil(
    pattern(
        without_gradient("fc1.weight", "fc1.bias"), "zero_grad", "no_grad", "forward", "backward", "step"
    ),
    Holding,
    without_gradient=("fc1.weight", "fc1.bias"),
)
SLOW_FALL = steps(loss=lambda s: 2.0 - 0.005 * s.n)

STUCK = steps(loss=lambda s: 1.1 + 0.001 * (s.n % 3))


def resting(record: Record) -> Record:
    """Two groups, of which one never moves."""
    return spoil(
        spoil(record, Optimizer, groups=2),
        Layers,
        updates=lambda s: {name: 0.0 if "fc1" in name else 0.003 for name in s.updates},
    )


TWINS: Twins = {
    "accumulation-unscaled": (
        [PLAIN, spoil(PLAIN, Step, backwards=lambda s: 4 if s.n % 10 else 2)],
        [
            healthy(),
            spoil(PLAIN, Step, called_factor=0.25),
            ACCUMULATED,  # Adam divides the factor out again
            pattern(PLAIN, "zero_grad", "forward", "backward", "forward", "backward", "step"),  # two losses
        ],
    ),
    "clip-always-active": (
        [
            spoil(
                spoil(STUCK, Step, clip=0.1, clipped_norm=lambda s: 2.0 * 1.05**s.n), Optimizer, type="SGD"
            ),
            spoil(spoil(STUCK, Step, clip=0.01, clipped_norm=1.0), Optimizer, type="SGD"),
        ],
        [
            healthy(),
            spoil(STUCK, Step, clip=0.01, clipped_norm=1.0),  # Adam divides the length out again
            steps(clip=0.01, clipped_norm=lambda s: 1.0 + 0.1 * s.n),
            spoil(steps(clip=0.01, clipped_norm=1.0), Optimizer, type="SGD"),  # short steps that arrive
            spoil(steps(clip=0.01, clipped_norm=lambda s: 1.0 + 0.1 * s.n), Optimizer, type="SGD"),
            steps(clip=1.0, clipped_norm=lambda s: 0.5 if s.n % 3 else 4.0),
            steps(clip=0.5, clipped_norm=1.5),
        ],
    ),
    "clip-misplaced": (
        [
            MISPLACED,
            spoil(MISPLACED, Step, grad_norm_at_step=None),
            spoil(CLIPPED, Step, scale=65536.0),
        ],
        [
            CLIPPED,
            healthy(),
            spoil(MISPLACED, Step, optimizer=0),  # moved by hand: clipping counts to the next step
            pattern(spoil(CLIPPED, Step, scale=65536.0), "forward", "backward", "unscale", "clip", "step"),
        ],
    ),
    "detached-graph": (
        [
            without_gradient("fc1.weight", "fc1.bias"),
            ended(spoil(healthy(), LossCall, requires_grad=False), NO_GRAPH),
        ],
        [
            healthy(),
            spoil(
                without_gradient("fc1.weight"),
                Layers,
                activations={"out": records.layers(0).activations["out"]},
            ),
            without_gradient("fc1.weight", "fc1.bias", "fc2.weight", "out.weight", "out.bias"),
            spoil(
                healthy(), Layers, gradients=lambda s: s.gradients | {"fc1.weight": None if s.n < 3 else 0.3}
            ),
        ],
    ),
    "eval-mode-training": (
        [steps(training=False), steps(training=lambda s: s.n < 40)],
        [
            healthy(),
            spoil(steps(training=False), Model, mode_matters=False),
            frozen(steps(training=False), "fc1.weight"),
            steps(training=lambda s: s.n % 20 != 0),
        ],
    ),
    "frozen-params": (
        [
            frozen(healthy(), "fc1.weight", "fc1.bias"),
            spoil(frozen(healthy(), "fc2.weight"), Holding, frozen=("fc2.weight",)),
            add(
                healthy(),
                Holding(2, 40, {"1": 2}),
                Holding(3, 80, {"1": 5}, frozen=("fc1.weight", "fc2.weight")),
            ),
            ended(frozen(healthy(), *(p.name for p in records.model().parameters)), NO_GRAPH),
        ],
        [
            healthy(),
            add(frozen(healthy(), "fc1.weight"), Load(19, "train.py", matched=2)),
            spoil(frozen(healthy(), "fc1.weight"), Model, n=500),
            spoil(frozen(healthy(), "fc1.weight"), Layers, updates={"fc1.weight": 0.1}),  # thawed later
            # The upper one first, the lower one not yet.
            spoil(frozen(healthy(), "fc1.weight", "fc2.weight"), Layers, updates={"fc2.weight": 0.1}),
            frozen(healthy(), *(p.name for p in records.model().parameters)),  # a teacher
            add(healthy(), Holding(2, 40, {"1": 5}, frozen=("fc1.weight",)), Holding(3, 80, {"1": 5})),
        ],
    ),
    "hidden-state-not-detached": (
        [STATEFUL, SAW_TOOTH, recurrent(ended(healthy(), TWICE))],
        [recurrent(healthy()), TEXTS, steps(graph=lambda s: 40 + 30 * s.n), ended(healthy(), TWICE)],
    ),
    "inplace-corruption": (
        [
            ended(healthy(), INPLACE),
            add(healthy(), Overwritten(3, 30, "train.py", 1)),
            ended(
                drop(healthy(), Step),
                "a leaf Variable that requires grad is being used in an in-place operation.",
            ),
        ],
        [
            healthy(),
            ended(healthy(), "CUDA out of memory"),
            pattern(ended(healthy(), INPLACE), "forward", "step"),
        ],
    ),
    "lr-collapsed": (
        [
            rate(SLOW_FALL, lambda n: 0.01 if n < 40 else 1e-6),
            rate(healthy(), lambda n: 0.01 * 0.5**n),
        ],
        [
            healthy(),
            rate(healthy(), lambda n: 0.01 * (1 + math.cos(math.pi * n / 119)) / 2),
            rate(healthy(), lambda n: 0.01 * (1 if n % 20 < 10 else 1e-4)),
            rate(healthy(), lambda n: 0.01 if n < 90 else 1e-6),
        ],
    ),
    "metric-accumulation-bug": (
        [told(lambda n: mean(0, n)), told(lambda n: mean(0, n), name="train_loss")],
        [
            told(lambda n: mean(n - 20, n)),
            told(lambda n: 32 * mean(n - 20, n)),
            told(lambda n: mean(0, n), name="val_loss"),
        ],
    ),
    "missing-backward": (
        [
            steps(backwards=0, **EMPTY),
            steps(backwards=0, grad_norm=0.0, grad_norm_at_step=0.0, update_norm=None),
            spoil(steps(backwards=0, **EMPTY), Optimizer, type="LBFGS"),  # its closure forgot it
        ],
        [
            healthy(),
            steps(backwards=0),  # gradients put in place by hand
            spoil(steps(**EMPTY), Optimizer, type="LBFGS"),
            steps(**EMPTY),
        ],
    ),
    "missing-step": (
        [spoil(drop(healthy(), Step), End, backwards=240), spoil(drop(healthy(), Step), End, backwards=3)],
        [
            healthy(),
            drop(healthy(), Step),
            drop(spoil(drop(healthy(), Step), End, backwards=240), Optimizer),  # updated by hand
            add(healthy(), Optimizer(2, "Adam", 25, "train.py", parameters=3)),
        ],
    ),
    "missing-zero-grad": (
        [
            steps(left_over=lambda s: 1.0 * s.n),
            pattern(game(steps(left_over=2.0)), "forward", "backward", "step"),
        ],
        [
            healthy(),
            steps(left_over=lambda s: 1.0 if s.n < 3 else 0.0),
            game(steps(left_over=2.0)),
            steps(left_over=None),
        ],
    ),
    "model-reset-in-loop": (
        [
            remade(Model, 50, 4),
            remade(Optimizer, 50, 4),
            remade(Optimizer, 1, 30),
            # Batches made by hand, many short lives, no progress.
            remade(Model, 4, 25, spoil(drop(STUCK, Batch, Loader), Step, batch="")),
        ],
        [
            healthy(),
            remade(Model, 250, 4, healthy(1200)),  # folds of five passes
            remade(Optimizer, 250, 3, healthy(1200)),
            add(healthy(), replace(records.model(), id=2, line=40)),
        ],
    ),
    "no-grad-training": (
        [
            ended(pattern(healthy(), "zero_grad", "no_grad", "loss"), NO_GRAPH),
            pattern(steps(**EMPTY), "zero_grad", "no_grad", "loss", "backward", "step"),
            READ_ONLY,
        ],
        [
            healthy(),
            pattern(healthy(), "no_grad", "zero_grad", "forward", "backward", "step"),
            pattern(healthy(), "no_grad", "zero_grad", "backward", "step"),  # a model by hand beside it
            ended(healthy(), NO_GRAPH),
            add(READ_ONLY, Load(19, "train.py", matched=2)),
        ],
    ),
    "params-not-in-optimizer": (
        [
            holding(missing=("fc2.weight",), missing_model=1),
            holding(missing=("out.weight", "out.bias"), missing_model=1),
            holding(missing=ALL_OF_IT, missing_model=1, missing_trains=True),  # a second model, forgotten
            Record(  # of two optimizers side by side neither holds it
                (
                    Holding(7, 0, {"1": 2}, missing=("out.bias",)),
                    *holding(missing=("out.bias",), missing_model=1).items,
                )
            ),
        ],
        [
            healthy(),
            spoil(holding(missing=("fc2.weight",), missing_model=1), Model, n=300),
            add(holding(missing=("fc2.weight",), missing_model=1), Load(19, "train.py", matched=5)),
            add(holding(missing=("fc2.weight",), missing_model=1), Holding(1, 5, {"1": 5})),
            holding(missing=ALL_OF_IT, missing_model=1),  # a teacher
            Record(  # the projector of a pretraining, whose optimizer held all of it and is gone
                (
                    Holding(7, 0, {"1": len(ALL_OF_IT)}),
                    *holding(missing=ALL_OF_IT, missing_model=1, missing_trains=True).items,
                )
            ),
            spoil(holding(missing=ALL_OF_IT, missing_model=1, missing_trains=True), Model, n=300),
        ],
    ),
    "scheduler-before-optimizer": (
        [
            scheduled(plan("StepLR", step_size=300)),
            add(
                scheduled(plan("StepLR", step_size=300), False), Warned(BEFORE, "UserWarning", 24, "train.py")
            ),
        ],
        [
            scheduled(plan("StepLR", step_size=300), False),
            healthy(),
            spoil(scheduled(plan("StepLR", step_size=300)), Step, scale=1024.0),
            add(healthy(), Warned("lr_scheduler.step() before", "UserWarning", 24)),
        ],
    ),
    "scheduler-cadence": (
        [
            rate(scheduled(plan("StepLR", step_size=5, gamma=0.1)), lambda n: 0.01 * 0.1 ** (n // 5)),
            scheduled(plan("CosineAnnealingLR", T_max=10)),
            rate(scheduled(plan("ExponentialLR", gamma=0.9)), lambda n: 0.01 * 0.9**n),
            scheduled(plan("OneCycleLR", total_steps=1000), False),
            rate(scheduled(plan("LambdaLR"), False), lambda n: 1e-4 * (1 + n // 20)),
        ],
        [
            healthy(),
            rate(scheduled(plan("LambdaLR"), False), lambda n: 1e-3 * (1 + n // 20)),  # it comes near
            rate(scheduled(plan("LambdaLR")), lambda n: 1e-5 * (1 + n)),  # and this one is on its way
            scheduled(plan("CosineAnnealingLR", T_max=120)),
            scheduled(plan("StepLR", step_size=10), False),
            scheduled(plan("OneCycleLR", total_steps=120)),
            scheduled(plan("LinearLR", total_iters=20)),
            rate(scheduled(plan("ExponentialLR", gamma=0.999)), lambda n: 0.01 * 0.999**n),
        ],
    ),
    "stale-optimizer-params": (
        [
            spoil(steps(**EMPTY), Holding, foreign=5, missing=("fc1.weight",), of_models={}),
            holding(foreign=3, missing=("fc1.weight", "fc1.bias", "fc2.weight")),
        ],
        [
            healthy(),
            holding(foreign=4, of_models={}),  # tensors by hand
            holding(missing=("fc1.weight",)),
            holding(foreign=4, of_models={}, missing=("fc1.weight",)),  # both live
        ],
    ),
    "step-before-backward": (
        [
            pattern(
                steps(backwards=lambda s: int(s.n > 0)), "backward", "zero_grad", "forward", "loss", "step"
            ),
            pattern(steps(backwards=lambda s: int(s.n > 0), **EMPTY), "backward", "forward", "step"),
        ],
        [
            healthy(),
            pattern(healthy(), "backward", "forward", "step"),  # the first step had a backward
            pattern(steps(backwards=lambda s: int(s.n > 0)), "forward", "backward", "step"),
        ],
    ),
    "train-mode-eval": (
        [passes(training=True), passes(training=lambda e: e.n > 20, loss=None, correct=None)],
        [
            healthy(),
            spoil(passes(training=True), Model, mode_matters=False),
            add(
                drop(healthy(), Evaluation),
                *(records.evaluation(n, training=True, rows=32) for n in range(1, 40)),
            ),
            passes(training=True, loss=None, correct=None, gradients=True, calls=1),
        ],
    ),
    "undertrained": (
        [
            SLOW_FALL,
            steps(loss=lambda s: 5.0 - 0.01 * s.n + 0.01 * records.wobble(s.n)),
            spoil(healthy(16), Step, loss=lambda s: 0.6 - 0.01 * s.n),
            steps(loss=lambda s: 3.0 * 0.98**s.n),  # a third of the rest goes in the last fifth
        ],
        [
            spoil(healthy(16), Step, loss=lambda s: 0.3 + 0.3 * 0.7**s.n),  # coming to rest
            spoil(spoil(healthy(16), Step, loss=lambda s: 0.6 - 0.01 * s.n), End, status="stopped"),
            healthy(),
            spoil(SLOW_FALL, End, status="stopped"),
            spoil(SLOW_FALL, End, shortened=("epochs",)),
            game(SLOW_FALL),
            steps(loss=lambda s: 0.2 + 1.8 * 0.97**s.n),  # most of it is learned
            steps(loss=lambda s: 3.0 * 0.95**s.n),  # as steep, and next to nothing is left
            spoil(healthy(280), Step, loss=lambda s: 3.0 * 0.991**s.n),  # as steep, after more steps
            steps(loss=lambda s: 5.0 - 0.001 * s.n + records.wobble(s.n)),
            rate(SLOW_FALL, lambda n: 0.01 * (1 - n / 119)),
        ],
    ),
    "update-skipped": (
        [
            steps(update_norm=0.0),
            steps(update_norm=lambda s: 0.0 if s.n % 4 == 0 else 0.02),
            spoil(steps(update_norm=0.0, lr=0.0), Optimizer, lr=0.0),
            resting(STUCK),
            spoil(resting(STUCK), Optimizer, groups=1),  # an optimizer of one's own that does not write
        ],
        [
            healthy(),
            resting(healthy()),  # it learns all the same: somebody froze a part by its rate
            spoil(resting(STUCK), Layers, updates=lambda s: dict.fromkeys(s.updates, 0.001)),
            steps(update_norm=lambda s: 0.0 if s.n < 8 else 0.02, scale=1024.0),
            steps(update_norm=0.0, lr=1e-15),
            spoil(steps(update_norm=lambda s: 0.0 if s.n % 4 == 0 else 0.02), Optimizer, type="LBFGS"),
            steps(update_norm=0.0, grad_norm_at_step=0.0),
        ],
    ),
    "weights-not-loaded": (
        [
            add(healthy(), Load(19, "train.py", 0, False, 0, 5, 5)),
            add(healthy(), Load(19, "train.py", 0, True, 5, overwritten=True)),
            add(healthy(), Load(19, "train.py", 0, False, 2, 8, 8)),
            add(healthy(), Load(19, "train.py", 0, True, 5, own=True)),
        ],
        [
            add(healthy(), Load(19, "train.py", 0, True, 5)),
            add(healthy(), Load(19, "train.py", 0, False, 60, 2, 2)),
            add(healthy(), Load(19, "train.py", 0, False, 5, 0, 60)),  # a part of a larger model
        ],
    ),
    "zero-grad-after-backward": (
        [
            pattern(steps(**EMPTY), "forward", "loss", "backward", "zero_grad", "step"),
            pattern(
                steps(grad_norm_at_step=0.0, update_norm=0.001),
                "forward",
                "backward",
                "zero_grad_model",
                "step",
            ),
        ],
        [
            healthy(),
            pattern(
                healthy(), "forward", "loss", "backward", "zero_grad", "step"
            ),  # of another: gradients arrive
            pattern(steps(**EMPTY), "forward", "loss", "backward", ("zero_grad", 2), "step"),
            pattern(healthy(), "forward", "backward", "step", "zero_grad"),
        ],
    ),
}


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=True))
def test_spoiled(slug: str, number: int, record: Record) -> None:
    assert serious(found(slug, record))


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=False))
def test_healthy(slug: str, number: int, record: Record) -> None:
    assert not serious(found(slug, record))


def test_graphs_in_evaluation_are_a_note() -> None:
    (note,) = found("eval-without-no-grad", passes(gradients=True))
    assert note.severity == "note"
    assert note.where is not None
    assert note.where.line == 30
    assert not found("eval-without-no-grad", healthy())
    assert not found("eval-without-no-grad", passes(gradients=True, calls=1))


def test_a_remainder_that_flows_into_the_next_epoch_is_a_note() -> None:
    record = spoil(PLAIN, Step, backwards=lambda s: 6 if s.n % 10 == 0 else 4)
    severities = [finding.severity for finding in found("accumulation-unscaled", record)]
    assert severities == ["warning", "note"]


def test_places() -> None:
    for slug, line in {
        "missing-zero-grad": 12,
        "eval-mode-training": 13,
        "clip-misplaced": 10,
        "zero-grad-after-backward": 13,
        "frozen-params": 6,
        "scheduler-cadence": 10,
        "stale-optimizer-params": 21,
        "train-mode-eval": 30,
    }.items():
        finding = serious(found(slug, TWINS[slug][0][0]))[0]
        assert finding.where is not None, slug
        assert (finding.where.path, finding.where.line) == ("train.py", line), slug


def test_a_full_epoch_is_counted_by_the_loader() -> None:
    record = spoil(remade(Model, 50, 4), Loader, examples=320)
    assert not serious(found("model-reset-in-loop", record))
