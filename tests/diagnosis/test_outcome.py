"""What a run shows, read from records made by hand."""

import math

import pytest

from sleuth.diagnosis.bisect import bisect, first_true
from sleuth.judge.crashes import meaning
from sleuth.record import outcome
from sleuth.record.entries import (
    Activation,
    Evaluation,
    Layer,
    Layers,
    LossCall,
    Metric,
    Model,
    Pattern,
    Record,
    Step,
)
from sleuth.record.questions import adversarial


def run(losses: list[float], *more: object, line: int = 9, batch: str = "") -> Record:
    steps = [Step(n, loss=loss, loss_line=line, batch=batch) for n, loss in enumerate(losses)]
    return Record((*steps, *more))


def falling(start: float, end: float, n: int = 60) -> list[float]:
    return [end + (start - end) * math.exp(-5 * i / n) for i in range(n)]


def test_a_lower_end_is_better_and_a_similar_one_is_not() -> None:
    base = run(falling(2.3, 1.5))
    assert outcome.better(base, run(falling(2.3, 0.5))) is True
    assert outcome.better(base, run(falling(2.3, 1.4))) is False
    assert outcome.better(run(falling(2.3, 0.5)), base) is False


def test_there_is_nothing_to_better_in_a_run_that_has_learnt() -> None:
    assert outcome.better(run(falling(1.0, 0.002)), run(falling(1.0, 0.00001))) is False


def test_a_tiny_error_is_no_worse_than_a_tinier_one() -> None:
    base = run(falling(1.0, 0.0001), Metric("val mse", 3e-5, 60))
    assert outcome.better(base, run(falling(1.0, 1e-7), Metric("val mse", 0.0, 60))) is False
    far = run(falling(1.0, 0.0001), Metric("val mse", 0.5, 60))
    assert outcome.better(far, run(falling(1.0, 1e-5), Metric("val mse", 0.1, 60))) is True


def test_without_regularisation_only_what_was_held_out_counts() -> None:
    def held(losses: list[float], share: float) -> Record:
        return run(losses, Evaluation(60, line=5, rows=1000, correct=share))

    base = held(falling(2.3, 0.5), 0.90)
    assert outcome.better(base, held(falling(2.3, 0.1), 0.88)) is True  # by its loss
    assert outcome.held_out_better(base, held(falling(2.3, 0.1), 0.88)) is False
    assert outcome.held_out_better(held(falling(2.3, 2.0), 0.3), held(falling(2.3, 0.5), 0.9)) is True
    assert outcome.held_out_better(run(falling(2.3, 0.5)), run(falling(2.3, 0.1))) is None


def test_what_is_told_of_held_out_rows_counts_where_no_pass_over_them_was_judged() -> None:
    def told(train: float, held_out: float) -> Record:
        return run(falling(2.3, train), Metric("train mse", train, 60), Metric("valid rmse", held_out, 60))

    assert outcome.held_out_better(told(0.5, 0.6), told(0.1, 0.6)) is False
    assert outcome.held_out_better(told(2.0, 1.4), told(0.1, 0.6)) is True


def test_a_finite_run_is_better_than_one_that_is_not() -> None:
    exploding = [2.0**i for i in range(30)] + [math.inf] * 20
    assert outcome.better(run(exploding), run(falling(2, 1))) is True
    assert outcome.better(run(falling(2, 1)), run(exploding)) is False


def test_too_short_a_run_says_nothing() -> None:
    assert outcome.course(run([1.0, 0.9])) is None
    assert outcome.better(run([1.0]), run([0.5])) is None


def test_where_the_loss_means_something_else_the_scores_decide() -> None:
    base = run(falling(2.3, 2.2), Evaluation(60, line=5, rows=1000, correct=0.1))
    other = run(falling(9.0, 8.9), Evaluation(60, line=5, rows=1000, correct=0.8))
    assert outcome.better(base, other, same_loss=False) is True
    assert outcome.better(other, base, same_loss=False) is False


def test_a_share_on_few_rows_must_differ_more() -> None:
    def scored(correct: float, rows: int) -> Record:
        return run(falling(2, 2), Evaluation(60, line=5, rows=rows, correct=correct))

    assert outcome.better(scored(0.5, 20), scored(0.6, 20), same_loss=False) is False
    assert outcome.better(scored(0.5, 5000), scored(0.6, 5000), same_loss=False) is True


@pytest.mark.parametrize(
    ("losses", "answer"),
    [
        (falling(2.3, 0.01), True),
        ([2.3 + 0.01 * (-1) ** i for i in range(60)], False),
        ([math.nan] * 20 + [1.0] * 10, False),
        ([2.3 - 0.01 * i for i in range(60)], None),
    ],
    ids=["memorised", "stalled", "not finite", "still falling"],
)
def test_one_batch_by_heart(losses: list[float], answer: bool | None) -> None:
    assert outcome.memorises(run(losses)) is answer


def test_a_pin_that_did_not_hold_is_seen() -> None:
    assert outcome.pinned(run(falling(1, 0), batch="aa"))
    loose = Record(tuple(Step(n, loss=1.0, batch=str(n)) for n in range(30)))
    assert not outcome.pinned(loose)


def test_noise_that_is_learnt_to_the_end_does_as_well() -> None:
    assert outcome.as_well(run(falling(1.0, 0.00005)), run(falling(1.0, 0.0001))) is True


def test_noise_does_as_well_only_where_the_signal_gave_nothing() -> None:
    assert outcome.as_well(run(falling(2.3, 2.29)), run(falling(2.3, 2.3))) is True
    assert outcome.as_well(run(falling(2.3, 0.4)), run(falling(2.3, 2.3))) is False


def turns(*patterns: Pattern) -> Record:
    """Two optimizers that step one after the other; the n-th steps as the n-th pattern says."""
    steps = [Step(n, loss=1.0, optimizer=n % 2 + 1, pattern=n % len(patterns) + 1) for n in range(20)]
    return Record((*steps, *patterns))


def after(number: int, *lines: int) -> Pattern:
    """A step behind backward calls on these lines."""
    return Pattern(number, (*(("backward", 0, line) for line in lines), ("step", 1, 9)))


def test_two_players_take_turns_each_at_a_loss_of_its_own() -> None:
    assert adversarial(turns(after(1, 5), after(2, 7)))
    assert adversarial(turns(after(1, 5), after(2, 5)))  # by one helper that both call
    assert adversarial(turns(after(1, 5, 7), after(2)))  # both backward calls first, then both steps


def test_two_optimizers_behind_one_backward_call_are_no_players() -> None:
    assert not adversarial(turns(after(1, 5), after(2)))


def test_one_training_after_another_is_no_game() -> None:
    assert not adversarial(Record(tuple(Step(n, loss=1.0, optimizer=n // 10) for n in range(20))))


@pytest.mark.parametrize(
    ("name", "up"),
    [
        ("val_dice", True),
        ("val ce", False),
        ("test acc", True),
        ("val_loss", False),
        ("RMSE", False),
        ("F1", True),
        ("epoch", None),
        ("lr", None),
    ],
)
def test_the_name_of_a_metric_says_which_way_is_better(name: str, up: bool | None) -> None:
    assert outcome.direction(name) is up


def test_printed_metrics_count_as_scores() -> None:
    record = run(falling(1, 0), Metric("accuracy", 0.3, 10), Metric("accuracy", 0.9, 50), Metric("epoch", 3))
    assert [(s.name, s.value) for s in outcome.scores(record).values()] == [("accuracy", 0.9)]


def test_a_printed_loss_is_no_score_where_the_loss_was_changed() -> None:
    def seen(loss: float, right: float) -> Record:
        told = Metric("kd loss", loss, n=60, line=7), Metric("accuracy", right, n=60, line=8)
        return run(falling(2.3, 2.2), *told)

    base, other = seen(-90.0, 0.1), seen(0.03, 0.9)
    assert outcome.better(base, other, same_loss=False) is True
    assert outcome.better(base, other) is not True


def test_what_swings_around_almost_nothing_has_settled() -> None:
    calm = falling(2.0, 0.001, 80)
    swinging = [value + (0.12 if n % 7 == 0 else 0.0) for n, value in enumerate(calm)]
    assert not outcome.unstable(swinging)
    assert outcome.unstable([value + (2.5 if n % 7 == 0 else 0.0) for n, value in enumerate(calm)])


def test_unstable_is_not_noisy() -> None:
    noisy = [0.5 + 0.2 * math.sin(7.3 * i) for i in range(100)]
    assert not outcome.unstable(noisy)
    assert outcome.unstable([1.0, 1.1, 1.2, *[5.0 + i for i in range(40)]])
    assert outcome.unstable([1.0] * 20 + [math.nan] * 5)


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_halving_finds_the_first(count: int) -> None:
    for first in range(count):
        asked: list[int] = []

        def holds(index: int, first: int = first, asked: list[int] = asked) -> bool:
            asked.append(index)
            return index >= first

        assert first_true(count, holds) == first
        assert len(asked) <= 2 + math.ceil(math.log2(count))
    assert first_true(count, lambda _: False) is None


def test_bisect_names_the_first_layer_that_is_not_finite_and_its_line() -> None:
    names = [f"layer{i}" for i in range(8)]
    outputs = {name: Activation(std=1.0, finite=i < 5) for i, name in enumerate(names)}
    model = Model(
        1, "Net", layers=tuple(Layer(name, "Linear", 20 + i, "net.py") for i, name in enumerate(names))
    )
    (guilty,) = bisect(Record((model, Layers(3, activations=outputs))))
    assert (guilty.what, guilty.module, guilty.line, guilty.step) == ("non-finite", "layer5", 25, 3)


def test_bisect_finds_silent_units_that_a_later_bias_hides() -> None:
    outputs = {f"l{i}": Activation(std=float(i != 2), zero=float(i == 2)) for i in range(6)}
    (guilty,) = bisect(Record((Layers(0, activations=outputs),)))
    assert (guilty.what, guilty.module) == ("dead", "l2")


def test_a_loss_inside_the_model_is_no_layer_whose_rows_are_alike() -> None:
    outputs = {"l0": Activation(std=1.0), "?CrossEntropyLoss": Activation(mean=1.1, std=0.0)}
    assert bisect(Record((Layers(0, activations=outputs),))) == []


def test_a_healthy_run_has_no_guilty_module() -> None:
    outputs = {f"l{i}": Activation(std=1.0, zero=0.5) for i in range(4)}
    assert bisect(Record((Layers(0, activations=outputs),))) == []


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("element 0 of tensors does not require grad and does not have a grad_fn", "loss-disconnected"),
        ("Trying to backward through the graph a second time", "hidden-state-not-detached"),
        ("Target 7 is out of bounds.", "labels-out-of-range"),
        ("Torch not compiled with CUDA enabled", ""),
    ],
)
def test_known_crashes_are_explained(message: str, cause: str) -> None:
    told = meaning("RuntimeError", message)
    assert told.sentence
    assert told.cause == cause


def test_an_unknown_crash_is_not_explained_away() -> None:
    assert meaning("RuntimeError", "flux capacitor empty").sentence == ""


def test_a_run_that_ends_above_where_another_begins_has_not_learnt() -> None:
    exploded = run(falling(3e9, 2e6))
    assert outcome.better(exploded, run(falling(1.2, 0.2))) is True
    assert outcome.better(exploded, run(falling(3e9, 1e6))) is False


def test_a_teacher_and_a_student_on_one_line_are_read_apart() -> None:
    teacher = [Step(n, optimizer=1, loss=9.0, loss_line=5) for n in range(20)]
    student = [Step(20 + n, optimizer=2, loss=2.0, loss_line=5) for n in range(30)]
    assert set(outcome.main_losses(Record((*teacher, *student)))) == {2.0}
    anew = [Step(n, optimizer=n // 5, loss=float(n), loss_line=5) for n in range(50)]
    assert len(outcome.main_losses(Record(tuple(anew)))) == 50


@pytest.mark.parametrize(("length", "start", "told"), [(80, 1.0, 80), (80, 0.2, 400), (20, 1.0, 100)])
def test_of_folds_the_first_is_read(length: int, start: float, told: int) -> None:
    """Each begins anew and is long enough; an optimizer made anew for each epoch goes on where it was."""
    firsts = [1.0, *[start] * 4]
    steps = [
        Step(n, optimizer=fold, loss=loss, loss_line=9)
        for fold, first in enumerate(firsts)
        for n, loss in enumerate(falling(first, 0.1, length))
    ]
    assert len(outcome.main_losses(Record(tuple(steps)))) == told


def test_a_loss_around_zero_is_not_called_unstable_for_being_small() -> None:
    quiet = [0.3 * (-1) ** n * (1 + n % 3) for n in range(60)]
    assert outcome.unstable(quiet) is False
    assert outcome.unstable(quiet[:30] + [30 * value for value in quiet[30:]]) is True


def test_an_evaluation_that_guesses_is_seen_whatever_the_loss_says() -> None:
    def scored(
        correct: float, rows: int = 500, classes: int | None = 10, shape: tuple[int, ...] = (32, 10)
    ) -> Record:
        call = LossCall("cross_entropy", classes=classes, input_shape=shape)
        return run(falling(2.3, 0.3), call, Evaluation(60, line=5, rows=rows, correct=correct))

    assert outcome.guesses(scored(0.11)) is not None
    assert outcome.guesses(scored(0.2)) is None
    assert outcome.guesses(scored(0.11, rows=20)) is None
    assert outcome.guesses(scored(0.11, classes=None)) is None
    assert outcome.guesses(scored(0.11, shape=(10, 10))) is None  # each row finds itself in its batch


@pytest.mark.parametrize(
    ("events", "own"),
    [
        ("zero_grad:1 forward:1 no_grad:1 backward:0 step:1", True),  # the target is what the model says
        ("zero_grad:1 forward:1 no_grad:2 backward:0 step:1", False),  # a teacher's
        ("forward:1 backward:0 no_grad:1 step:1", False),  # a look after the loss
    ],
)
def test_a_model_that_says_its_own_targets_is_known_by_its_steps(events: str, own: bool) -> None:
    marks = tuple((name, int(number), 5) for name, number in (word.split(":") for word in events.split()))
    steps = [Step(n, loss=1.0, pattern=1) for n in range(40)]
    assert outcome.chases_itself(Record((Pattern(1, marks), *steps))) is own


def test_another_loss_that_serves_worse_is_no_better() -> None:
    base = run(falling(40.0, 24.0), Metric("accuracy", 0.9, 59))
    other = run(falling(40.0, 0.01), Metric("accuracy", 0.6, 59))
    assert outcome.better(base, other, same_loss=False) is False
    assert outcome.better(base, run(falling(40.0, 0.01), Metric("accuracy", 0.97, 59)), same_loss=False)


def test_what_serves_two_rare_classes_may_cost_the_common_one() -> None:
    def ended(ok: float, inner: float, outer: float) -> Record:
        named = {"recall ok": ok, "recall inner": inner, "recall outer": outer}
        return run(falling(1, 0.2), *(Metric(name, value, 60) for name, value in named.items()))

    assert outcome.mostly_better(ended(0.99, 0.2, 0.2), ended(0.85, 0.7, 0.8)) is True
    assert outcome.mostly_better(ended(0.99, 0.2, 0.2), ended(0.6, 0.2, 0.2)) is False
    assert outcome.mostly_better(ended(0.99, 0.2, 0.2), ended(0.99, 0.2, 0.2)) is None
