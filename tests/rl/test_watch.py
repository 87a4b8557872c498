"""Logs under all their names, verdicts with their step, silence on healthy runs, honest counts of seeds."""

import csv
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.errors import SleuthError
from sleuth.judge.asking import findings_of
from sleuth.rl.logs import Run, as_run, meaning, read_runs
from sleuth.rl.seeds import permutation_p, seeds, two_groups, upper_bound
from sleuth.rl.watching import judged, verdicts, watch

LENGTH = 60
NAMES = {
    "train/entropy_loss": "entropy",
    "losses/entropy": "entropy",
    "learners/default_policy/entropy": "entropy",
    "Entropy": "entropy",
    "actor/entropy": "entropy",
    "train/approx_kl": "kl",
    "losses/approx_kl": "kl",
    "losses/old_approx_kl": "old_kl",
    "objective/kl": "reference_kl",
    "actor/ppo_kl": "kl",
    "KL": "kl",
    "train/explained_variance": "explained_variance",
    "learners/default_policy/vf_explained_var": "explained_variance",
    "losses/clipfrac": "clip_fraction",
    "ClipFrac": "clip_fraction",
    "actor/pg_clipfrac": "clip_fraction",
    "LossPi": "policy_loss",
    "losses/td_loss": "value_loss",
    "losses/qf1_values": "value_level",
    "env_runners/episode_return_mean": "return",
    "env_runners/episode_return_max": "return_max",
    "charts/episodic_return": "return",
    "AverageEpRet": "return",
    "rollout/ep_len_mean": "length",
    "EpLen": "length",
    "rollout/exploration_rate": "exploration",
    "charts/SPS": "speed",
    "diff_num_grad_updates": "staleness",
    "environment/episode_length": "length",
    "losses/residual_variance": "explained_variance",
    "rollout/ep_rew_mean": "return",
    "eval/mean_reward": "return",
    "train/clip_fraction": "clip_fraction",
    "train/policy_gradient_loss": "policy_loss",
    "train/critic_loss": "value_loss",
    "train/std": "std",
    "train/ent_coef": "temperature",
    "charts/epsilon": "exploration",
    "charts/episodic_length": "length",
    "losses/q_values": "value_level",
    "losses/alpha": "temperature",
    "learners/default_policy/mean_kl_loss": "kl",
    "learners/default_policy/vf_loss_unclipped": "value_loss",
    "env_runners/episode_return_min": "return_min",
    "episode_reward_mean": "return",
    "AverageVVals": "value_level",
    "AverageQ1Vals": "value_level",
    "AverageTestEpRet": "return",
    "MaxEpRet": "return_max",
    "MinEpRet": "return_min",
    "StdEpRet": "return_sd",
    "LossV": "value_loss",
    "environment/score": "return",
    "performance/SPS": "speed",
    "reward": "return",
    "reward_std": "return_sd",
    "kl": "kl",
    "entropy": "entropy",
    "clip_ratio/region_mean": "clip_fraction",
    "completions/mean_length": "length",
    "policy/approxkl_avg": "kl",
    "loss/value_avg": "value_loss",
    "objective/scores": "return",
    "actor/pg_loss": "policy_loss",
    "critic/vf_explained_var": "explained_variance",
    "critic/score/mean": "return",
    "critic/score/max": "return_max",
    "response_length/mean": "length",
    "rollout/ep_rew_max": "return_max",
}
# Names that look like others and mean something else.
OTHERS = (
    "learners/default_policy/curr_kl_coeff",
    "learners/default_policy/curr_entropy_coeff",
    "losses/entropy_coef",
    "train/ent_coef_loss",
    "DeltaLossPi",
    "DeltaLossV",
    "LogPi",
    "StopIter",
    "critic/kl_coeff",
)


@pytest.mark.parametrize("key", OTHERS)
def test_lookalikes_are_left_alone(key: str) -> None:
    assert meaning(key) is None


@pytest.mark.parametrize("key", NAMES)
def test_names_are_understood(key: str) -> None:
    assert meaning(key) == NAMES[key]


def healthy() -> dict[str, list[float]]:
    """A run that learns: the return rises, entropy falls slowly, KL stays small."""
    share = [k / (LENGTH - 1) for k in range(LENGTH)]
    wiggle = [0.02 * math.sin(7 * k) for k in range(LENGTH)]
    return {
        "rollout/ep_rew_mean": [20 + 180 * x + 100 * w for x, w in zip(share, wiggle, strict=True)],
        "rollout/ep_len_mean": [20 + 180 * x for x in share],
        "train/entropy_loss": [-0.69 + 0.4 * x for x in share],
        "train/approx_kl": [0.01 + 0.1 * abs(w) for w in wiggle],
        "train/clip_fraction": [0.1 + w for w in wiggle],
        "train/explained_variance": [0.9 * x for x in share],
        "train/value_loss": [10 - 9 * x for x in share],
        "train/policy_gradient_loss": [-0.01] * LENGTH,
        "time/fps": [1000 + 10 * w for w in wiggle],
    }


def run_of(**changes: list[float]) -> Run:
    columns = healthy() | {key.replace("__", "/"): values for key, values in changes.items()}
    return as_run("run", {key: [(1000.0 * k, v) for k, v in enumerate(vs)] for key, vs in columns.items()})


FLAT_RETURN = [20.0 + (k % 3) for k in range(LENGTH)]
CASES: dict[str, tuple[str, dict[str, list[float]]]] = {
    "collapse": (
        "entropy-collapsed",
        {"train__entropy_loss": [-0.69] * 5 + [-0.01] * (LENGTH - 5), "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "certain at once": (
        "entropy-collapsed",
        {"train__entropy_loss": [-0.04] + [-0.0] * (LENGTH - 1), "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "thrown away at once": (
        "kl-spike",
        {"train__approx_kl": [75.0] + [0.0] * (LENGTH - 1), "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "flat entropy": (
        "entropy-flat",
        {"train__entropy_loss": [-0.69] * LENGTH, "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "spike": (
        "kl-spike",
        {
            "train__approx_kl": [0.01] * 30 + [2.0] + [0.01] * (LENGTH - 31),
            "rollout__ep_rew_mean": [20.0 + 4 * k for k in range(31)] + [20.0] * (LENGTH - 31),
        },
    ),
    "growing": (
        "kl-spike",
        {"train__approx_kl": [0.01 * 1.1**k for k in range(LENGTH)], "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "worse than constant": (
        "value-explained-variance-negative",
        {"train__explained_variance": [-0.8] * LENGTH, "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "not a number": ("value-not-learning", {"train__value_loss": [1.0] * 20 + [math.nan] * (LENGTH - 20)}),
    "constant return": ("reward-constant", {"rollout__ep_rew_mean": [0.0] * LENGTH}),
    "offset": (
        "advantage-biased",
        {"advantages__mean": [2.0] * LENGTH, "advantages__std": [1.0] * LENGTH},
    ),
    "runaway": (
        "bootstrap-through-terminal",
        {"losses__q_values": [10.0 * 1.3**k for k in range(LENGTH)]},
    ),
    "epsilon": (
        "entropy-flat",
        {"rollout__exploration_rate": [0.9] * LENGTH, "rollout__ep_rew_mean": FLAT_RETURN},
    ),
    "targets": (
        "bootstrap-through-terminal",
        {
            "targets__min": [0.0] * LENGTH,
            "targets__max": [10.0 * 1.3**k for k in range(LENGTH)],
        },
    ),
    "best apart": (
        "policy-update-broken",
        {
            "rollout__ep_rew_mean": FLAT_RETURN,
            "rollout__ep_rew_max": [25.0 + 3 * k for k in range(LENGTH)],
        },
    ),
    "frozen normaliser": ("obs-unnormalized", {"normaliser__count": [1e4] * LENGTH}),
    "slower": ("throughput-decay", {"time__fps": [1000.0] * 30 + [300.0] * 30}),
}


def test_a_healthy_run_is_left_alone() -> None:
    assert verdicts(run_of()) == []


def test_a_growing_normaliser_and_a_best_episode_beside_a_rising_mean_are_left_alone() -> None:
    grows = [100.0 * k for k in range(LENGTH)]
    assert verdicts(run_of(normaliser__count=grows, rollout__ep_rew_max=[5.0 * k for k in grows])) == []
    assert verdicts(run_of(targets__min=[0.0] * LENGTH, targets__max=[300.0] * LENGTH)) == []


def test_a_best_episode_that_does_not_rise_is_no_sign() -> None:
    changes = {
        "rollout__ep_rew_mean": FLAT_RETURN,
        "rollout__ep_rew_max": [30.0 + k % 7 for k in range(LENGTH)],
    }
    assert "policy-update-broken" not in [entry.cause for entry in verdicts(run_of(**changes))]


@pytest.mark.parametrize("key", ["KL", "actor/ppo_kl", "losses/old_approx_kl"])
def test_a_plain_mean_of_log_ratios_may_be_negative(key: str) -> None:
    run = as_run("run", {key: [(float(k), -0.01 if k % 2 else 0.02) for k in range(LENGTH)]})
    assert verdicts(run) == []


def test_a_wild_beginning_is_forgiven_where_the_return_rises() -> None:
    assert verdicts(run_of(train__approx_kl=[75.0] + [0.01] * (LENGTH - 1))) == []


def test_continuous_entropy_below_zero_is_no_collapse() -> None:
    changes = {"train__entropy_loss": [0.1 * k for k in range(LENGTH)], "rollout__ep_rew_mean": FLAT_RETURN}
    assert "entropy-collapsed" not in [entry.cause for entry in verdicts(run_of(**changes))]


@pytest.mark.parametrize("keys", [("train/loss", "train/value_loss"), ("train/value_loss", "train/loss")])
def test_a_value_loss_goes_before_the_sum_of_all_losses(keys: tuple[str, ...]) -> None:
    assert as_run("run", {key: [(0.0, 1.0)] for key in keys}).series["value_loss"].key == "train/value_loss"


@pytest.mark.parametrize("case", CASES)
def test_each_illness_is_seen(case: str) -> None:
    slug, changes = CASES[case]
    assert slug in [entry.cause for entry in verdicts(run_of(**changes))]


def test_what_is_left_unexplained_is_turned_round() -> None:
    run = as_run("run", {"losses/residual_variance": [(0.0, 0.25), (1.0, 1.5)]})
    assert run.series["explained_variance"].values == (0.75, -0.5)


def test_a_huge_spike_counts_in_a_run_that_never_learns() -> None:
    kl = [0.01] * LENGTH
    kl[30] = 3.0
    (found,) = verdicts(run_of(train__approx_kl=kl, rollout__ep_rew_mean=FLAT_RETURN))
    assert (found.cause, found.numbers["began"]) == ("kl-spike", 30_000.0)
    assert verdicts(run_of(train__approx_kl=kl)) == []


def test_the_step_at_which_it_began_is_told() -> None:
    found = next(e for e in verdicts(run_of(**CASES["spike"][1])) if e.cause == "kl-spike")
    assert found.numbers["began"] == 30_000
    assert "step 30000" in found.message


def test_explained_variance_of_a_solved_task_is_not_judged() -> None:
    """Measured: -11 on a solved task whose value loss was 4e-4."""
    solved = run_of(train__explained_variance=[-11.0] * LENGTH, train__value_loss=[4e-4] * LENGTH)
    assert verdicts(solved) == []


def write_csv(path: Path, columns: dict[str, list[float]], comma: str = ",") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=comma)
        writer.writerow(["time/total_timesteps", *columns])
        for k in range(LENGTH):
            writer.writerow([1000 * k, *(values[k] for values in columns.values())])


def test_csv_tsv_json_and_monitor_files_are_read(tmp_path: Path) -> None:
    write_csv(tmp_path / "a" / "progress.csv", healthy())
    write_csv(tmp_path / "b" / "progress.txt", healthy(), "\t")
    rows = [{"env_runners": {"episode_return_mean": k}, "timesteps_total": 10 * k} for k in range(20)]
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "result.json").write_text("\n".join(map(json.dumps, rows)) + '\n{"torn": ')
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "monitor.csv").write_text('#{"t_start": 0}\nr,l,t\n1.0,5,0.1\n2.0,6,0.2\n')
    (tmp_path / "e").mkdir()
    history = {"log_history": [{"step": k, "reward": 0.1 * k, "kl": 0.01} for k in range(12)]}
    (tmp_path / "e" / "trainer_state.json").write_text(json.dumps(history))
    runs = {run.name: run for run in read_runs(tmp_path)}
    assert set(runs) == {"a", "b", "c", "d", "e"}
    assert runs["a"].series["entropy"].values[0] == pytest.approx(0.69)
    assert runs["c"].series["return"].steps[-1] == 190
    assert runs["d"].series["return"].values == (1.0, 2.0)
    assert runs["e"].series["kl"].values[0] == 0.01


def test_tensorboard_is_read(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]
    from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]
    from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

    writer = EventFileWriter(str(tmp_path))
    for k in range(5):
        value = Summary.Value(tag="charts/episodic_return", simple_value=float(k))
        writer.add_event(Event(step=k, summary=Summary(value=[value])))
    writer.close()
    (run,) = read_runs(tmp_path)
    assert run.series["return"].values == (0.0, 1.0, 2.0, 3.0, 4.0)


def test_a_folder_without_logs_is_said(tmp_path: Path) -> None:
    with pytest.raises(SleuthError, match="no log"):
        read_runs(tmp_path)


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=12), st.lists(st.floats(), max_size=30), max_size=6))
def test_any_table_can_be_judged(columns: dict[str, list[float]]) -> None:
    run = as_run("any", {key: [(float(k), v) for k, v in enumerate(vs)] for key, vs in columns.items()})
    verdicts(run)


@settings(deadline=None)
@given(st.integers(1, 40), st.data())
def test_the_bound_is_that_of_the_exact_distribution(count: int, data: st.DataObject) -> None:
    """Twin: the tail of the binomial as an integral over the beta distribution."""
    failures = data.draw(st.integers(0, count))
    bound = upper_bound(failures, count)
    if failures == count:
        assert bound == 1.0
        return
    tail = beta_integral(1.0 - bound, count - failures, failures + 1)
    assert tail == pytest.approx(0.05, abs=1e-5)


def beta_integral(upper: float, a: int, b: int, parts: int = 2000) -> float:
    """Simpson's rule."""
    step = upper / parts
    heights = [(k * step) ** (a - 1) * (1.0 - k * step) ** (b - 1) for k in range(parts + 1)]
    area = heights[0] + heights[-1] + 4 * sum(heights[1::2]) + 2 * sum(heights[2:-1:2])
    return area * step / 3 * math.comb(a + b - 1, a) * a


def test_few_seeds_carry_no_interval() -> None:
    assert seeds([1.0, 2.0, 3.0]).interval is None
    assert seeds([1.0, 2.0, 3.0, 4.0]).interval is not None
    assert upper_bound(0, 5) == pytest.approx(0.4507, abs=1e-3)


def test_permutations_reach_what_theory_allows() -> None:
    assert permutation_p([1, 2, 3], [11, 12, 13]) == pytest.approx(0.1)
    assert permutation_p([1, 2, 3, 4, 5], [11, 12, 13, 14, 15]) == pytest.approx(2 / 252)


def test_a_lottery_is_named_and_equal_seeds_are_not() -> None:
    bad = seeds([200.0, 198.0, 20.0, 201.0, 25.0])
    assert two_groups(bad.finals)
    assert bad.failing == 2
    assert [entry.cause for entry in findings_of("watch_seeds", bad)] == ["seed-lottery"]
    assert findings_of("watch_seeds", seeds([200.0, 198.0, 199.0, 201.0, 202.0])) == ()


def test_several_runs_are_seeds() -> None:
    runs = [run_of(), run_of(rollout__ep_rew_mean=FLAT_RETURN)]
    assert judged(runs).seeds is not None
    assert judged(runs, threshold=100.0).seeds.failing == 1  # type: ignore[union-attr]


LOGGING = """
import csv, sys
assert sys.argv[1] == "--seed"
with open("progress.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["time/total_timesteps", "rollout/ep_rew_mean", "train/entropy_loss"])
    for k in range(40):
        rows.writerow([100 * k, 20 + k % 3, -0.69 if k < 4 else -0.01])
"""


def test_a_script_is_run_and_its_logs_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(LOGGING)
    assert "entropy-collapsed" in [entry.cause for entry in watch("train.py", ("--seed", "1")).findings]


def test_a_script_that_breaks_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text('raise RuntimeError("no gpu\\nhere")')
    with pytest.raises(SleuthError, match="RuntimeError: no gpu here"):
        watch("train.py")
    (tmp_path / "train.py").write_text("import sys; sys.exit(4)")
    with pytest.raises(SleuthError, match="exit code 4"):
        watch("train.py")
