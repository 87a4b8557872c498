"""Ledgers, workplaces, sources, clues: the parts of a case that need no torch."""

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sleuth import catalog
from sleuth.causes.architecture import underpowered_model
from sleuth.causes.hyperparameters import batch_too_small
from sleuth.causes.rl import reward_scale
from sleuth.diagnosis import ledger as ledgers
from sleuth.diagnosis.case import Case
from sleuth.diagnosis.choosing import next_experiment
from sleuth.diagnosis.circumstances import Scene, circumstances, moving
from sleuth.diagnosis.joined import settled
from sleuth.diagnosis.preflight import expected_failures
from sleuth.diagnosis.reporting import report
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trial, Trials
from sleuth.errors import SleuthError
from sleuth.experiments import called
from sleuth.finding import Evidence, Finding, Telling, Where
from sleuth.judge.experiments import NOTHING, OTHER
from sleuth.judge.explain import roots_before_symptoms
from sleuth.judge.observed import Observed, Outcome
from sleuth.judge.relations import rivals_of, roots_of
from sleuth.judge.strength import alone
from sleuth.judge.suspects import suspects
from sleuth.judge.weigh import doubts, weigh
from sleuth.lab.job import Ending
from sleuth.lab.workplace import in_place, scratch_copy, writes_files
from sleuth.record.entries import (
    Batch,
    End,
    Evaluation,
    Layer,
    Layers,
    LossCall,
    Model,
    Optimizer,
    Parameter,
    Pattern,
    Record,
    Run,
    Step,
    Values,
)
from sleuth.report import BudgetSpent
from sleuth.source.script_files import local_sources, optimizers_in, plays, thaws


def finding(cause: str, telling: Telling = "proven", technique: str = "lint", line: int = 0) -> Evidence:
    where = Where("a.py", line) if line else None
    return Evidence("seen", telling, where, cause=cause, technique=technique)


def explained(evidence: Iterable[Evidence]) -> list[Finding]:
    return [alone(one) for one in roots_before_symptoms(evidence)]


def ranked(
    evidence: Sequence[Evidence], circumstances: Iterable[str] = (), outcomes: Sequence[Outcome] = ()
) -> list[Finding]:
    """All evidence as it is weighed in these circumstances."""
    seen = Observed(
        evidence=tuple(evidence), circumstances=frozenset(circumstances), outcomes=tuple(outcomes)
    )
    return list(weigh(seen).ranked)


def in_a_run(evidence: Sequence[Evidence], record: Record, thaws: bool = False) -> list[Finding]:
    """All evidence as it is weighed beside the record of a run."""
    hold = circumstances(Scene(Trials(record, whole=False), thaws))
    seen = Observed(evidence=tuple(evidence), circumstances=hold, moving=moving(evidence, record))
    return list(weigh(seen).ranked)


def test_a_ledger_only_grows_and_its_board_is_replayed(tmp_path: Path) -> None:
    case = ledgers.open_case("Why is it slow?", False, tmp_path)
    case = ledgers.append(case, ledgers.hypothesis("disk", 2.0, "iostat is idle"))
    case = ledgers.append(case, ledgers.hypothesis("gpu", 1.0, ""))
    line = ledgers.written_test("iostat", "busy?", 1.0, {"disk": "always", "gpu": "rarely"}, case.prior())
    case = ledgers.append(case, line)
    before = case.path.read_bytes()
    case = ledgers.append(case, {"kind": "observed", "test": "iostat", "answer": "yes"})
    assert case.path.read_bytes().startswith(before)
    again = ledgers.find_case("why-is-it-slow", tmp_path)
    assert again.board() == case.board()
    assert again.board()["disk"] > 0.6 > again.board()["gpu"]


def test_the_last_word_on_a_test_counts_and_a_withdrawn_one_does_not(tmp_path: Path) -> None:
    case = ledgers.open_case("x", True, tmp_path)
    fresh = case.board()
    wrong = ledgers.append(case, {"kind": "observed", "test": "lr×0.1", "answer": "yes"})
    assert wrong.board()["lr-too-high"] > fresh["lr-too-high"]
    back = ledgers.append(wrong, {"kind": "observed", "test": "lr×0.1", "answer": "withdrawn"})
    assert back.board() == fresh


def test_a_board_always_holds_nothing_and_other(tmp_path: Path) -> None:
    board = ledgers.open_case("x", False, tmp_path).board()
    assert {NOTHING, OTHER} <= set(board)


@pytest.mark.parametrize(
    ("likelihoods", "words"), [({"disk": "often"}, "no likelihood"), ({"dsk": "always"}, "no hypothesis")]
)
def test_a_wrong_test_is_refused(tmp_path: Path, likelihoods: dict[str, str], words: str) -> None:
    with pytest.raises(SleuthError, match=words):
        ledgers.written_test("t", "?", 1.0, likelihoods, {"disk": 1.0})


def test_two_cases_of_one_title_are_two(tmp_path: Path) -> None:
    one, two = (ledgers.open_case("same", False, tmp_path) for _ in range(2))
    assert one.path != two.path
    assert len(ledgers.cases(tmp_path)) == 2


def test_a_damaged_line_is_named_and_the_others_work(tmp_path: Path) -> None:
    case = ledgers.append(ledgers.open_case("x", False, tmp_path), ledgers.hypothesis("h", 2.0, ""))
    case.path.write_text(case.path.read_text() + "{broken\n")
    case = ledgers.append(case, ledgers.hypothesis("late", 1.0, ""))
    again = ledgers.find_case(None, tmp_path)
    assert [line["name"] for line in again.of("hypothesis")] == ["h", "late"]
    assert len(again.damage) == 1
    assert again.damage[0].startswith("Line 3 is no JSON")


def test_no_case_and_no_such_case(tmp_path: Path) -> None:
    with pytest.raises(SleuthError, match="no case yet"):
        ledgers.find_case(None, tmp_path)
    ledgers.open_case("mine", False, tmp_path)
    with pytest.raises(SleuthError, match="Did you mean 'mine'"):
        ledgers.find_case("mina", tmp_path)


def test_roots_come_before_symptoms() -> None:
    told = explained([finding("missing-zero-grad"), finding("lr-too-high", technique="watch")])
    assert [(f.cause, f.severity) for f in told] == [("missing-zero-grad", "error"), ("lr-too-high", "note")]


def test_a_proven_cause_does_not_give_way_to_itself() -> None:
    [kept] = explained([finding("labels-misaligned", "proven", "probe")])
    assert kept.severity == "error"


def test_a_librarys_own_code_is_not_the_users_fault() -> None:
    where = Where("/venv/lib/python3.11/site-packages/lib/ppo.py", 3)
    inside = Evidence("seen", "proven", where, cause="missing-detach", technique="probe")
    own = finding("missing-detach", line=3)
    assert [f.severity for f in ranked([inside, own])] == ["note", "error"]


def test_an_agents_loss_has_no_course() -> None:
    told = ranked(
        [
            finding("undertrained", technique="watch"),
            finding("init-loss-off", technique="probe"),
            finding("vanishing-gradients", technique="probe"),
            finding("dead-relu"),
        ],
        {"plays"},
    )
    assert [f.severity for f in told] == ["note", "note", "note", "error"]


@pytest.mark.parametrize(
    ("others", "severity"), [((1.0, 1.0), "note"), ((0.0, 1.0), "note"), ((0.0, 0.0), "error")]
)
def test_labels_of_one_client_are_not_those_of_all(others: tuple[float, float], severity: str) -> None:
    calls = [LossCall("cross_entropy", 3, n=1, target_min=0.0, target_max=0.0)]
    calls += [LossCall("cross_entropy", 3, n=9, target_min=others[0], target_max=others[1])]
    (said,) = in_a_run([finding("labels-constant", technique="probe")], Record(tuple(calls)))
    assert said.severity == severity


@pytest.mark.parametrize(("moved", "severity"), [("body.weight", "note"), ("head.weight", "warning")])
def test_layers_that_are_thawed_later_were_frozen_for_a_while(moved: str, severity: str) -> None:
    weights = (Parameter("body.weight", (4, 4), trainable=False), Parameter("head.weight", (2, 4)))
    before = Layers(1, updates={"body.weight": 0.3})  # another model of the same names, before this one
    record = Record((before, Model(1, "Net", n=5, parameters=weights), Layers(40, updates={moved: 0.1})))
    (said,) = in_a_run([finding("frozen-params", "likely", technique="probe")], record)
    assert said.severity == severity


@pytest.mark.parametrize(
    ("technique", "thaws", "status", "severity"),
    [
        ("probe", True, "stopped", "note"),
        ("probe", True, "finished", "warning"),  # the run came to its end, and nothing was set free
        ("probe", False, "stopped", "warning"),
        ("lint", True, "stopped", "warning"),
    ],
)
def test_layers_that_the_source_sets_free_later_may_rest_in_a_run_cut_short(
    technique: str, thaws: bool, status: str, severity: str
) -> None:
    said = finding("frozen-params", "likely", technique=technique)
    assert in_a_run([said], Record((End(status),)), thaws)[0].severity == severity


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("net.encoder.requires_grad_(True)", True),
        ("net.encoder.requires_grad_()", True),
        ("for p in net.parameters():\n    p.requires_grad = True", True),
        ("net.encoder.requires_grad = True", False),  # a module's attribute that nobody reads
        ("net.encoder.requires_grad_(False)", False),
        ("for p in net.parameters():\n    p = p.detach()", False),
        ("for p in net.parameters():\n    p.requires_grad = False", False),
    ],
)
def test_what_sets_layers_free_is_told_from_what_does_not(tmp_path: Path, text: str, free: bool) -> None:
    (tmp_path / "train.py").write_text(text)
    assert thaws([tmp_path / "train.py"]) is free


@pytest.mark.parametrize(
    ("technique", "better", "severity"),
    [("watch", False, "note"), ("watch", True, "error"), ("lint", False, "error")],
)
def test_what_was_undone_without_effect_is_no_cause(technique: str, better: bool, severity: str) -> None:
    record = Record(tuple(Step(n, optimizer=1, loss=math.exp(-n / 5)) for n in range(60)))
    case = Case(Request(Path("a.py")), evidence=[finding("zero-init", "proven", technique)])
    case.trials = Trials(record, True, case.made)
    for name in ("undo(zero-init)", "same-batch", "noise-inputs", "shuffled-labels"):
        case.made[name] = Trial(called(name), better and name.startswith("undo"))
        case.order.append(name)
    said = {one.cause: one.severity for one in report(case).findings}
    assert said["zero-init"] == severity


@pytest.mark.parametrize("shown", ["loss-disconnected", "detached-graph"])
def test_of_two_that_name_each_other_the_one_in_the_source_stays(shown: str) -> None:
    (other,) = {"loss-disconnected", "detached-graph"} - {shown}
    seen = [finding(shown), finding(other, technique="watch")]
    assert [f.severity for f in explained(seen)] == ["error", "note"]


@pytest.mark.parametrize(("noise_does_as_well", "status"), [(False, "nothing-found"), (True, "inconclusive")])
def test_a_high_floor_is_told_from_a_loss_that_does_not_fall(noise_does_as_well: bool, status: str) -> None:
    steps = [Step(n, loss=4.5 + math.exp(-n / 12), loss_line=9) for n in range(80)]
    case = Case(Request(Path("a.py")), trials=Trials(Record(tuple(steps)), whole=True))
    case.made["noise-inputs"] = Trial(called("noise-inputs"), noise_does_as_well)
    verdict = report(case).verdict
    assert verdict.status == status, verdict.summary


def _squares(variance: float) -> LossCall:
    shape, far = (8, 1), 9.0
    return LossCall(
        "mse_loss",
        9,
        input_shape=shape,
        target_shape=shape,
        target_min=-far,
        target_max=far,
        target_variance=variance,
    )


@pytest.mark.parametrize(
    ("call", "end", "learns"),
    [
        (LossCall("mse_loss", 9, target_min=-2.0, target_max=2.0), 50.0, False),  # a constant stays below 4
        (LossCall("mse_loss", 9, target_min=-2.0, target_max=2.0), 0.5, True),
        (LossCall("l1_loss", 9, target_min=-2.0, target_max=2.0), 3.0, False),
        (LossCall("l1_loss", 9, target_min=-2.0, target_max=2.0, reduction="sum"), 3.0, True),
        (_squares(1.2), 1.18, False),  # the mean of the targets costs 1.2
        (_squares(1.2), 0.4, True),
        (LossCall("cross_entropy", 9, classes=3), 26.0, False),
        (LossCall("cross_entropy", 9, classes=3), 0.2, True),
    ],
)
def test_a_loss_above_that_of_one_answer_for_all_is_nothing_learnt(
    call: LossCall, end: float, learns: bool
) -> None:
    steps = [Step(n, loss=end + 900 * math.exp(-n / 6), loss_line=9) for n in range(120)]
    trials = Trials(Record((call, *steps)), whole=True)
    assert trials.learns is learns
    assert trials.poor is not learns


@pytest.mark.parametrize(
    ("calls", "said", "rest", "learns"),
    [
        ((LossCall("cross_entropy", 9, classes=3),), 0.2, 1.5, True),  # a penalty by hand stands high
        ((LossCall("cross_entropy", 9, classes=3),), 1.09, 1.5, False),  # it alone fell
        ((LossCall("cross_entropy", 9, classes=3), _squares(1.2)), 0.8, 0.9, True),
        ((LossCall("cross_entropy", 9, classes=3), _squares(1.2)), 2.25, 0.9, False),
        ((LossCall("cross_entropy", 9, classes=3), LossCall("ctc_loss", 12)), 2.25, 0.9, True),  # not known
    ],
)
def test_of_several_terms_those_are_held_to_guessing_for_which_it_is_known(
    calls: tuple[LossCall, ...], said: float, rest: float, learns: bool
) -> None:
    placed = [replace(call, line=9 + k) for k, call in enumerate(calls)]
    steps = [
        Step(n, loss=said + rest + 30 * math.exp(-n / 6), called_loss=said + math.exp(-n / 6), loss_line=9)
        for n in range(120)
    ]
    trials = Trials(Record((*placed, *steps)), whole=True)
    assert trials.learns is learns
    assert trials.poor is not learns


def _run(losses: list[float], *others: object, kind: str = "Adam", rate: float = 0.1) -> Case:
    made = Optimizer(1, kind, 5, lr=rate)
    steps = [Step(n, optimizer=1, loss=loss, loss_line=9) for n, loss in enumerate(losses)]
    return Case(Request(Path("a.py")), trials=Trials(Record((made, *others, *steps)), whole=True))


@pytest.mark.parametrize(
    ("losses", "kind", "status"),
    [
        ([1.0 + 0.001 * (n % 3) for n in range(60)], "Adam", "inconclusive"),
        ([1.0 + 0.001 * (n % 3) for n in range(60)], "LBFGS", "nothing-found"),  # the first step did it all
        ([50.0, 1.0, 1.0, 1.0, *[math.exp(-n / 10) for n in range(60)]], "Adam", "nothing-found"),  # came far
        ([1.0, 1.0, 1.0, *[1.0 + 9 * (n % 5 == 0) for n in range(60)]], "Adam", "inconclusive"),
    ],
)
def test_what_the_course_of_a_loss_says(losses: list[float], kind: str, status: str) -> None:
    verdict = report(_run(losses, kind=kind)).verdict
    assert verdict.status == status, verdict.summary


@pytest.mark.parametrize(("steps", "named"), [(20, ["undertrained"]), (200, ["lr-too-low"])])
def test_few_steps_are_not_a_low_rate(steps: int, named: list[str]) -> None:
    case = _run([1.0 - 0.25 * n / steps for n in range(steps)])
    faster = _run([1.0 - 0.8 * n / steps for n in range(steps)]).trials
    assert case.trials is not None
    assert faster is not None
    case.made["lr×10"] = Trial(called("lr×10"), True, "better", faster.base)
    case.order.append("lr×10")
    case.trials = Trials(case.trials.base, True, case.made)
    found = [f.cause for f in report(case).findings if f.severity != "note"]
    assert found == named


@pytest.mark.parametrize(("arrives", "named"), [(0.02, []), (0.1, ["lr-too-low"])])
def test_a_rate_that_is_still_on_its_way_up_is_not_too_low(arrives: float, named: list[str]) -> None:
    case = _run([1.0 - 0.03 * n / 200 for n in range(200)], rate=0.1)
    faster = _run([1.0 - 0.8 * n / 200 for n in range(200)]).trials
    assert case.trials is not None
    assert faster is not None
    case.made["lr×10"] = Trial(called("lr×10"), True, "better", faster.base)
    case.order.append("lr×10")
    warming = [
        replace(item, lr=arrives * (item.n + 1) / 200) if isinstance(item, Step) else item
        for item in case.trials.base.items
    ]
    case.trials = Trials(Record(tuple(warming)), False, case.made)
    assert [f.cause for f in report(case).findings if f.severity != "note"] == named


def test_two_players_are_not_judged_by_the_loss_of_one() -> None:
    other = Optimizer(2, "Adam", 6, lr=0.1)
    case = _run([0.69] * 60, other)
    assert case.trials is not None
    turns = [
        turn
        for step in case.trials.base.steps
        for turn in (step, Step(step.n, optimizer=2, loss=0.7, loss_line=12))
    ]
    case.trials = Trials(Record((*case.trials.base.of(Optimizer), *turns)), whole=True)
    assert report(case).verdict.status == "nothing-found"


def test_a_weak_root_explains_nothing_away() -> None:
    told = explained([finding("missing-zero-grad", "aside"), finding("lr-too-high")])
    assert [f.severity for f in told] == ["note", "error"]


def test_two_causes_that_name_each_other_never_both_vanish() -> None:
    roots = {slug: roots_of(slug) | rivals_of(slug) for slug in catalog.causes()}
    for symptom, named in roots.items():
        for root in named:
            told = explained([finding(symptom), finding(root, technique="watch")])
            assert any(f.severity == "error" for f in told), (symptom, root)


def test_one_finding_a_cause_with_the_line_of_the_source() -> None:
    seen = [finding("dead-relu", technique="probe", line=50), finding("dead-relu", "likely", line=7)]
    told = suspects(seen)["dead-relu"]
    assert told.evidence.telling == "proven"
    assert told.evidence.where == Where("a.py", 7)
    assert told.techniques == ("lint", "probe")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "nets.py").write_text("from . import blocks\nimport torch\n")
    (tmp_path / "pkg" / "blocks.py").write_text("opt = torch.optim.Adam(p)\n")
    (tmp_path / "train.py").write_text("from pkg.nets import Net\nimport os, json\nopt = SGD(p)\n")
    (tmp_path / "data.bin").write_bytes(b"x" * 1000)
    return tmp_path


def test_the_local_modules_behind_a_script(project: Path) -> None:
    names = [str(path.relative_to(project)) for path in local_sources(project / "train.py")]
    assert names[0] == "train.py"
    assert set(names) == {"train.py", "pkg/__init__.py", "pkg/nets.py", "pkg/blocks.py"}
    assert optimizers_in(local_sources(project / "train.py")) == 2


@pytest.mark.parametrize(
    ("code", "writes"),
    [
        ("torch.save(m.state_dict(), 'm.pt')", True),
        ("open('x', 'w')", True),
        ("df.to_csv('x')", True),
        ("os.makedirs('out')", True),
        ("x = torch.load('m.pt'); y = open('data.txt').read()", False),
    ],
)
def test_code_that_writes_is_recognised(tmp_path: Path, code: str, writes: bool) -> None:
    (tmp_path / "s.py").write_text(code)
    assert writes_files([tmp_path / "s.py"]) is writes


def test_a_scratch_copy_leaves_the_original_alone(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    scratch = tmp_path_factory.mktemp("scratch")
    place = scratch_copy(project / "train.py", project, str(scratch), "one")
    copied = Path(place.folder)
    (copied / "data.bin").write_bytes(b"changed")
    assert (project / "data.bin").read_bytes() == b"x" * 1000
    assert Path(place.script).read_text() == (project / "train.py").read_text()
    assert place.original(place.script) == os.path.realpath(project / "train.py")


def test_big_data_is_linked_and_environments_stay_behind(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sleuth.lab.workplace.MOST_BYTES", 500)
    (project / "env").mkdir()
    (project / "env" / "pyvenv.cfg").write_text("")
    scratch = tmp_path_factory.mktemp("scratch")
    copied = Path(scratch_copy(project / "train.py", project, str(scratch), "one").folder)
    assert (copied / "data.bin").is_symlink()
    assert not (copied / "train.py").is_symlink()
    assert not (copied / "env").exists()


def test_the_users_folders_are_guarded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/nowhere")
    assert in_place(project / "train.py", project).guarded == (os.path.realpath(project),)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(project))
    assert in_place(project / "train.py", project).guarded == ()


def test_preflight_ranks_what_the_source_invites(tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("from torch.optim.lr_scheduler import StepLR\nimport torch\n")
    found = [entry.cause for entry in expected_failures(tmp_path / "t.py")]
    (tmp_path / "t.py").write_text("import torch\n")
    plain = [entry.cause for entry in expected_failures(tmp_path / "t.py")]
    assert found.index("scheduler-cadence") < plain.index("scheduler-cadence")
    assert json.dumps(found)


@pytest.mark.parametrize(
    ("technique", "telling", "severity"),
    [("probe", "likely", "note"), ("lint", "likely", "note"), ("probe", "proven", "error")],
)
def test_odd_numbers_in_a_run_that_seems_right_are_no_accusation(
    technique: str, telling: Telling, severity: str
) -> None:
    case = Case(Request(Path("a.py")), evidence=[finding("input-destroyed", telling, technique)])
    case.made["same-batch"] = Trial(called("same-batch"), yes=False)
    case.made["noise-inputs"] = Trial(called("noise-inputs"), yes=False)
    case.order += ["same-batch", "noise-inputs"]
    (told,) = report(case).findings
    assert (told.severity, told.cause) == (severity, "input-destroyed")


def test_a_share_of_the_budget_is_kept_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(Request(Path("a.py"), budget=100.0), began=0.0)
    monkeypatch.setattr("time.monotonic", lambda: 30.0)
    assert case.left == pytest.approx(62.0)


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("import gymnasium as gym\n", True),
        ("obs, r, done, _ = env.step(a)\nadv = (adv - adv.mean()) / adv.std()\n", True),
        ("next_obs, pay = self.world.step(act)\ntotal_reward += pay\n", True),
        ("state = world.step(state, dt)\nsched = ExponentialLR(opt, gamma=0.9)\n", False),
        ("state = model.env.step(x)\nreturn state\n", False),
        ("optimizer.step()\nscheduler.step()\nreturn loss, gamma\n", False),
    ],
)
def test_an_agent_is_known_by_its_world(tmp_path: Path, text: str, agent: bool) -> None:
    script = tmp_path / "agent.py"
    script.write_text(text)
    assert plays([script]) is agent


@pytest.mark.parametrize(
    ("loss", "norm", "plays", "told"),
    [
        (4e7, 5e4, True, True),
        (4e7, 5e4, False, False),  # no agent: money as a target has a name of its own
        (2e3, 400.0, True, False),  # returns of a hundred, as healthy agents have them
        (4e7, 40.0, True, False),  # clipped in the units of the loss
    ],
)
def test_returns_in_cents_drown_the_policy(loss: float, norm: float, plays: bool, told: bool) -> None:
    steps = [Step(n, optimizer=1, loss=loss, loss_line=9, clip=1.0, clipped_norm=norm) for n in range(60)]
    trials = Trials(Record((Optimizer(1, "Adam", 5, lr=0.1), *steps)), whole=True, plays=plays)
    assert bool([*reward_scale.experiment(trials)]) is told


@pytest.mark.parametrize(
    ("hidden", "one_batch", "told"),
    [
        (2, 0.2, True),
        (128, 0.2, False),  # room enough: it is the data that leave a rest
        (2, 0.05, False),  # learnt by heart
    ],
)
def test_a_handful_of_units_fits_one_batch_no_better_than_all(
    hidden: int, one_batch: float, told: bool
) -> None:
    def record(floor: float) -> Record:
        steps = [Step(n, optimizer=1, loss=floor + math.exp(-n / 8), loss_line=9) for n in range(120)]
        shapes = {"a.weight": (hidden, 3), "a.bias": (hidden,), "b.weight": (2, hidden)}
        weights = tuple(Parameter(name, shape) for name, shape in shapes.items())
        return Record((Model(1, "Net", parameters=weights), Optimizer(1, "Adam", 5), *steps))

    made = {
        "same-batch": Trial(called("same-batch"), False, "", record(one_batch)),
        "lr×10": Trial(called("lr×10"), False, "", record(0.22)),
    }
    trials = Trials(record(0.22), whole=True, made=made)
    assert bool([*underpowered_model.experiment(trials)]) is told


def test_a_rate_that_was_tried_otherwise_explains_nothing_away() -> None:
    found = [finding("lr-too-high", technique="watch")]
    assert ranked(found, outcomes=[Outcome(called("lr×0.1"), False)])[0].severity == "note"
    assert ranked(found, outcomes=[Outcome(called("lr×0.1"), True)])[0].severity == "error"
    assert ranked(found)[0].severity == "error"


def test_a_part_that_another_call_trains_is_not_unused() -> None:
    idle = Evidence("seen", "likely", Where(module="heads.b"), cause="unused-parameters", technique="probe")
    moved = Record((Layers(40, updates={"heads.b.weight": 0.1, "heads.a.weight": 0.1}),))
    still = Record((Layers(40, updates={"heads.b.weight": 0.0, "heads.a.weight": 0.1}),))
    assert in_a_run([idle], moved)[0].severity == "note"
    assert in_a_run([idle], still)[0].severity == "warning"


@pytest.mark.parametrize(
    ("noise", "labels", "status"), [(True, True, "inconclusive"), (True, False, "nothing-found")]
)
def test_a_fall_that_needs_neither_inputs_nor_labels_is_no_learning(
    noise: bool, labels: bool, status: str
) -> None:
    case = _run([1.0 + 700 * math.exp(-n / 8) for n in range(100)])
    for name, yes in (("noise-inputs", noise), ("shuffled-labels", labels)):
        case.made[name] = Trial(called(name), yes)
    assert report(case).verdict.status == status


@pytest.mark.parametrize(
    ("losses", "first", "never"),
    [
        ([1.0 - 0.0005 * n for n in range(100)], "lr×10", "lr×0.1"),  # creeps down
        ([1.0 + 30 * (n % 2) for n in range(100)], "lr×0.1", "lr×10"),  # swings
    ],
)
def test_a_loss_that_creeps_asks_for_a_higher_rate_and_one_that_swings_for_a_lower(
    losses: list[float], first: str, never: str
) -> None:
    case = _run(losses)
    case.request = Request(Path("a.py"), budget=600.0)
    asked: list[str] = []
    while first not in asked and (test := next_experiment(case, set(), 1.0)) is not None:
        asked.append(test.name)
        case.made[test.name] = Trial(test, None)
    assert first in asked
    assert not {never, "noise-inputs", "shuffled-labels"} & {*asked}


@pytest.mark.parametrize(
    ("kind", "rate", "first"),
    [("Adam", 2e-5, "lr×10"), ("Adam", 0.05, "lr×0.1"), ("SGD", 1e-3, "lr×10"), ("SGD", 2.0, "lr×0.1")],
)
def test_of_a_loss_that_stands_still_the_rate_says_which_other_is_tried_first_of_all(
    kind: str, rate: float, first: str
) -> None:
    case = _run([1.0 + 0.001 * (n % 3) for n in range(60)], kind=kind, rate=rate)
    case.request = Request(Path("a.py"), budget=600.0)
    chosen = next_experiment(case, set(), 1.0)
    assert chosen is not None
    assert chosen.name == first


@pytest.mark.parametrize(
    ("ratio", "line", "severity"), [(171.0, 32, "warning"), (171.0, 20, "note"), (8.0, 32, "note")]
)
def test_a_start_far_off_that_was_written_by_hand_is_told_though_the_run_recovers(
    ratio: float, line: int, severity: str
) -> None:
    bias = Parameter("top.bias", (1,), mean=7.5, line=line)  # the layer itself is made on line 20
    record = Record((Model(1, "Net", layers=(Layer("top", "Linear", 20),), parameters=(bias,)),))
    seen = replace(finding("init-loss-off", telling="likely", technique="probe"), numbers={"ratio": ratio})
    (told,) = ranked(settled([seen], record), {"learns"})
    assert told.severity == severity


@pytest.mark.parametrize(
    ("rows", "floor", "told"),
    [(2, 0.9, True), (64, 0.9, False), (2, 0.05, False)],  # a large batch; a small one that comes far
)
def test_a_handful_of_examples_that_never_settles(rows: int, floor: float, told: bool) -> None:
    batch = Batch(0, values=(Values("0", (rows, 3), role="input"),))
    steps = [
        Step(n, optimizer=1, loss=(floor + math.exp(-n / 40)) * (0.2 + 1.6 * (n % 2)), loss_line=9, rows=rows)
        for n in range(400)
    ]
    made = {name: Trial(called(name), False) for name in ("lr×10", "lr×0.1", "noise-inputs")}
    trials = Trials(Record((Optimizer(1, "Adam", 5), batch, *steps)), whole=True, made=made)
    assert bool([*batch_too_small.experiment(trials)]) is told


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("undone it is better (loss 1 → 0.1)", "better (loss 1 → 0.1)."),
        ("undone it is better", "clearly better."),
    ],
)
def test_a_confirmed_finding_gives_the_numbers_and_not_the_answer_again(detail: str, told: str) -> None:
    said = ranked([finding("zero-init")], outcomes=[Outcome(called("undo(zero-init)"), True, detail)])[-1]
    assert said.message.endswith(told)


STANDS_STILL = [1.0 + 0.001 * (n % 3) for n in range(60)]


def test_when_the_budget_is_spent_the_next_test_is_told() -> None:
    case = _run(STANDS_STILL, kind="Adam", rate=2e-5)
    case.request = Request(Path("a.py"), budget=600.0)
    assert next_experiment(case, set(), 1000.0) is None  # seconds a run
    assert BudgetSpent("lr×10") in report(case).observations
    assert next_experiment(case, set(), 1.0) is not None
    assert not any(isinstance(seen, BudgetSpent) for seen in report(case).observations)


def test_a_hypothesis_is_ruled_out_only_by_what_spoke_against_it() -> None:
    case = _run([math.exp(-n / 20) for n in range(100)])
    untried = {entry.hypothesis: entry for entry in report(case).hypotheses}
    assert not any(entry.closed for entry in untried.values())
    case.evidence = [finding("double-softmax")]
    case.made["undo(double-softmax)"] = Trial(called("undo(double-softmax)"), True)
    case.order.append("undo(double-softmax)")
    tried = {entry.hypothesis: entry for entry in report(case).hypotheses}
    assert tried[NOTHING].closed_by == ("undo(double-softmax)",)
    shares = [entry.credence for entry in tried.values()]
    assert shares == sorted(shares, reverse=True)


def test_that_nothing_is_wrong_does_not_lead_where_nothing_is_learnt() -> None:
    still, calm = _run(STANDS_STILL), _run([math.exp(-n / 20) for n in range(100)])
    assert report(still).verdict.status == "inconclusive"
    board = {entry.hypothesis: entry.credence for entry in report(still).hypotheses}
    assert board[NOTHING] < board[OTHER]
    assert report(calm).hypotheses[0].hypothesis == NOTHING


@pytest.mark.parametrize(
    ("ending", "status", "words"),
    [
        (Ending("base", "died", -6, message="SIGABRT"), "crashed", "SIGABRT"),
        (Ending("base", "stopped", out_of_time=True, seconds=30.0), "inconclusive", "within 30 s"),
        (Ending("base", "killed", seconds=30.0), "inconclusive", "within 30 s"),
        (Ending("base", "finished"), "inconclusive", "without an optimizer step"),
    ],
)
def test_endings_without_a_training_step_are_told_apart(ending: Ending, status: str, words: str) -> None:
    case = Case(Request(Path("a.py")))
    case.base = ending
    case.trials = Trials(Record((Run("a.py", versions={"torch": "2"}),)), whole=True)
    verdict = report(case).verdict
    assert verdict.status == status
    assert words in verdict.summary


@pytest.mark.parametrize(("backwards", "severity"), [(1, "note"), (2, "error")])
def test_slopes_for_the_optimizer_that_steps_next_are_not_left_lying(backwards: int, severity: str) -> None:
    events = (("backward", 0, 5),)
    patterns = (Pattern(1, events), Pattern(2, events if backwards == 2 else ()))
    steps = [Step(n, optimizer=1 + n % 2, pattern=1 + n % 2, loss=1.0) for n in range(20)]
    (said,) = in_a_run([finding("missing-detach", technique="probe")], Record((*patterns, *steps)))
    assert said.severity == severity


def test_of_two_that_give_way_to_everything_the_one_in_the_source_stays() -> None:
    found = [finding("unseeded", "likely"), finding("nondeterminism", "likely", "experiment")]
    told = {f.cause: f.severity for f in explained(found)}
    assert "warning" in told.values()
    surer = [finding("unseeded", "proven"), finding("nondeterminism", "likely", "experiment")]
    told = {f.cause: f.severity for f in explained(surer)}
    assert told == {"unseeded": "error", "nondeterminism": "note"}


@pytest.mark.parametrize(("left", "accused"), [(0.02, False), (0.4, True)])
def test_heavy_decay_is_a_fault_where_the_training_data_is_not_fitted(left: float, accused: bool) -> None:
    from sleuth.causes.hyperparameters import over_regularized

    losses = [left + (1 - left) * 0.9**n for n in range(80)]
    steps = [Step(n, optimizer=1, loss=loss, loss_line=9) for n, loss in enumerate(losses)]
    made = {"no-regularisation": Trial(called("no-regularisation"), True, "", None, 1.0)}
    heavy = Optimizer(1, "AdamW", 5, settings={"weight_decay": 1.0})
    trials = Trials(Record((heavy, *steps)), whole=True, made=made)
    assert bool(list(over_regularized.experiment(trials))) is accused


@pytest.mark.parametrize(("again", "severity"), [(0, "error"), (2, "error"), (29, "note")])
def test_who_asks_many_times_about_the_same_rows_wants_answers_that_differ(again: int, severity: str) -> None:
    record = Record((Evaluation(3, calls=30, rows=600, again=again),))
    (said,) = in_a_run([finding("dropout-ignores-mode", "proven", technique="probe")], record)
    assert said.severity == severity


@pytest.mark.parametrize(
    ("cause", "technique", "telling", "asked"),
    [
        ("clip-always-active", "watch", "open", True),
        ("clip-always-active", "watch", "aside", False),
        ("clip-always-active", "probe", "open", False),
        ("wrong-reduction", "watch", "open", False),
    ],
)
def test_a_note_that_cannot_tell_asks_for_its_experiment(
    tmp_path: Path, cause: str, technique: str, telling: Telling, asked: bool
) -> None:
    case = Case(Request(tmp_path / "train.py"))
    case.evidence = [finding(cause, telling, technique)]
    assert (cause in doubts(case.observed())) is asked


def test_what_learns_a_batch_by_heart_and_nothing_else_is_asked_about_its_inputs() -> None:
    case = _run([1.0 + 0.001 * (n % 3) for n in range(60)], kind="Adam", rate=1e-3)
    case.request = Request(Path("a.py"), budget=600.0)
    case.made = {name: Trial(called(name), False) for name in ("same-batch", "lr×0.1")}
    case.order = [*case.made]
    assert case.trials is not None
    base = Record((*case.trials.base.items, Model(1, "Net"), LossCall("mse_loss")))
    case.trials = replace(case.trials, base=base, made=case.made)
    chosen = next_experiment(case, set(), 1.0)
    assert chosen is not None
    assert chosen.name == "noise-inputs"  # before the other rate


@pytest.mark.parametrize(("lines", "severity"), [((9,), "warning"), ((9, 21), "note")])
def test_targets_that_one_of_two_losses_does_not_read(lines: tuple[int, ...], severity: str) -> None:
    said = Evidence(
        "none", "likely", cause="loss-disconnected", technique="probe", unless=("several-losses",)
    )
    steps = [Step(n, loss=1.0, loss_line=lines[n % len(lines)]) for n in range(20)]
    assert in_a_run([said], Record(tuple(steps)))[0].severity == severity


@pytest.mark.parametrize(("classes", "severity"), [((8, 8), "warning"), ((8, 3), "note")])
def test_classes_of_a_second_task_are_no_matter_of_a_split(classes: tuple[int, ...], severity: str) -> None:
    calls = [LossCall("cross_entropy", 9, n=k, classes=count) for k, count in enumerate(classes)]
    said = finding("unstratified-split", "likely", technique="probe")
    assert in_a_run([said], Record(tuple(calls)))[0].severity == severity


@pytest.mark.parametrize(("unless", "severity"), [(None, "note"), ((), "warning")])
def test_what_stands_however_the_loss_falls_says_so_itself(
    unless: tuple[str, ...] | None, severity: str
) -> None:
    said = Evidence("same", "likely", cause="structural-ceiling", technique="probe", unless=unless)
    assert ranked([said], {"learns"})[0].severity == severity


@pytest.mark.parametrize(
    ("telling", "answer", "severity"),
    [
        ("likely", None, "note"),  # nobody asked
        ("likely", False, "note"),
        ("likely", True, "warning"),
        ("proven", None, "error"),
        ("proven", False, "note"),
        ("proven", True, "error"),
    ],
)
def test_a_clue_about_data_from_the_source_alone_counts_with_an_experiment(
    telling: Telling, answer: bool | None, severity: str
) -> None:
    asked = () if answer is None else (Outcome(called("shuffled-labels"), answer),)
    seen = Observed(evidence=(finding("labels-misaligned", telling),), outcomes=asked)
    (told,) = weigh(seen).with_more()
    assert told.severity == severity


def test_a_clue_about_data_that_numbers_show_too_needs_no_experiment() -> None:
    seen = [finding("labels-misaligned", "likely"), finding("labels-misaligned", "likely", "probe")]
    assert weigh(Observed(evidence=tuple(seen))).with_more()[0].severity == "warning"
