"""Reading what reinforcement-learning libraries already log: TensorBoard, CSV, JSON, under whatever names."""

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.needs import need

SETTINGS = ("config.json", "args.json", "hparams.json", "params.json")  # beside a log, and no log
MOST_BYTES = 200_000_000  # a log beyond this is read elsewhere, not here


@dataclass(frozen=True)
class Series:
    """One quantity over the run."""

    key: str
    steps: tuple[float, ...]
    values: tuple[float, ...]

    def part(self, start: float, end: float) -> tuple[float, ...]:
        """The values between two shares of the run."""
        first, last = (
            int(start * len(self.values)),
            max(int(end * len(self.values)), int(start * len(self.values)) + 1),
        )
        return self.values[first:last]


@dataclass(frozen=True)
class Run:
    """One run: what is known of it by meaning, and every key that was found."""

    name: str
    series: Mapping[str, Series]
    keys: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)


# Meaning → the names that SB3, cleanrl, RLlib, spinningup, PufferLib, TRL and verl give it. First match wins.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "advantage_mean": (r"adv(antages?)?[/_]mean", r"mean_adv(antage)?"),
    "advantage_sd": (r"adv(antages?)?[/_]std", r"std_adv(antage)?"),
    "entropy": (
        r"train/entropy_loss",
        r"losses?/entropy$",
        r"(^|/)entropy$",
        r"actor/entropy(_loss)?",
        r"policy/entropy",
        r"objective/entropy",
    ),
    "kl": (
        r"train/approx_kl",
        r"losses/approx_kl",
        r"mean_kl_loss",
        r"actor/ppo_kl",
        r"policy/approxkl(_avg)?",
        r"(^|/)kl$",
    ),
    "reference_kl": (r"objective/kl", r"kl_to_ref"),
    "old_kl": (r"old_approx_kl",),
    "explained_variance": (
        r"explained_variance$",
        r"vf_explained_var(iance)?",
        r"explained_var$",
        r"residual_variance$",
    ),
    "clip_fraction": (
        r"clip_fraction",
        r"clipfrac",
        r"clip_ratio/region_mean",
        r"pg_clipfrac",
    ),
    "policy_loss": (
        r"policy_gradient_loss",
        r"policy_loss",
        r"^losspi$",
        r"pg_loss",
        r"actor_loss",
        r"loss/policy_avg",
    ),
    "value_loss": (
        r"value_loss",
        r"critic_loss",
        r"td_loss",
        r"qf_loss",
        r"vf_loss$",
        r"vf_loss_unclipped",
        r"^lossv$",
        r"^lossq$",
        r"loss/value_avg",
        r"train/loss$",
    ),
    "value_level": (
        r"q_values",
        r"qf1_values",
        r"averagevvals",
        r"averageq1?vals",
        r"qf_mean$",
        r"values?/mean$",
    ),
    "return": (
        r"rollout/ep_rew_mean",
        r"charts/episodic_return",
        r"episode_return_mean",
        r"episode_reward_mean",
        r"average(test)?epret",
        r"environment/.*(return|score|reward)",
        r"critic/score/mean",
        r"eval/mean_reward",
        r"(^|/)reward$",
        r"objective/scores",
        r"(^|/)rewards/mean$",
        r"^r$",
    ),
    "return_max": (
        r"episode_return_max",
        r"episode_reward_max",
        r"maxepret",
        r"ep_rew_max",
        r"critic/score/max",
    ),
    "return_min": (r"episode_return_min", r"episode_reward_min", r"minepret", r"critic/score/min"),
    "return_sd": (r"stdepret", r"reward_std"),
    "length": (
        r"ep_len_mean",
        r"episodic_length",
        r"episode_len(gth)?_mean",
        r"episode_length$",
        r"eplen$",
        r"averageeplen",
        r"completions/mean_length",
        r"response_length/mean",
        r"^l$",
    ),
    "length_min": (r"episode_len(gth)?_min", r"mineplen"),
    "length_max": (r"episode_len(gth)?_max", r"maxeplen"),
    "exploration": (r"exploration_rate", r"epsilon$"),
    "std": (r"train/std", r"policy/std", r"action_std", r"(^|/)std$"),
    "temperature": (r"ent_coef$", r"losses/alpha"),
    "staleness": (r"diff_num_grad_updates", r"staleness", r"policy_lag"),
    "speed": (r"time/fps", r"charts/sps", r"(^|/)sps$", r"performance/sps", r"throughput"),
    "learning_rate": (r"learning_rate$", r"(^|/)lr$"),
    "target_min": (r"targets/min",),
    "target_max": (r"targets/max",),
    "normaliser_count": (r"normaliser/count",),
}
STEPS = (
    "time/total_timesteps",
    "total_timesteps",
    "totalenvinteracts",
    "num_env_steps_sampled_lifetime",
    "timesteps_total",
    "agent_steps",
    "global_step",
    "step",
    "steps",
    "_step",
    "training_iteration",
    "epoch",
)


def meaning(key: str) -> str | None:
    low = key.lower()
    for name, patterns in ALIASES.items():
        if any(re.search(pattern, low) for pattern in patterns):
            if name == "kl" and ("old_" in low or "objective" in low):
                continue
            return name
    return None


def read_runs(path: Path) -> list[Run]:
    """The runs in a folder: the folder itself, or each of its subfolders that holds logs."""
    if not path.exists():
        raise SleuthError(f"There is no file or folder {str(path)!r}.")
    if path.is_file():
        return [_run(path.name, [path])]
    folders: dict[Path, list[Path]] = {}
    for file in sorted(path.rglob("*")):
        if file.is_file() and _kind(file):
            folders.setdefault(file.parent, []).append(file)
    from sleuth.rl.rows import settings_of

    runs = [
        replace(
            _run(str(folder.relative_to(path)) if folder != path else path.name, files),
            settings=settings_of(folder, path),
        )
        for folder, files in folders.items()
    ]
    runs = [run for run in runs if run.series]
    if not runs:
        raise SleuthError(
            f"{path} holds no log that is known (TensorBoard events, progress.csv, monitor.csv, "
            "progress.txt, JSON lines)."
        )
    return runs


def _run(name: str, files: Iterable[Path]) -> Run:
    table: dict[str, list[tuple[float, float]]] = {}
    for file in files:
        if file.stat().st_size > MOST_BYTES:
            raise SleuthError(f"{file} is larger than {MOST_BYTES // 1_000_000} MB; give a thinned log.")
        for key, step, value in _rows(file):
            table.setdefault(key, []).append((step, value))
    return as_run(name, table)


def as_run(name: str, table: Mapping[str, list[tuple[float, float]]]) -> Run:
    """By meaning; of several keys with one meaning, the one with the most points, then the clearest name."""
    found: dict[str, Series] = {}
    for key, rows in sorted(table.items(), key=lambda entry: _unclear(entry[0])):
        word = meaning(key)
        if word is None or (word in found and len(found[word].values) >= len(rows)):
            continue
        values = tuple(_as_meant(key.lower(), value) for _, value in rows)
        found[word] = Series(key, tuple(step for step, _ in rows), values)
    return Run(name, found, tuple(sorted(table)))


def _as_meant(key: str, value: float) -> float:
    """SB3 logs minus the entropy; what is left unexplained is one minus what is explained."""
    if "entropy_loss" in key and "actor" not in key:
        return -value
    return 1.0 - value if key.endswith("residual_variance") else value


def _unclear(key: str) -> int:
    """`train/loss` is the value loss of DQN, and the sum of all where a value loss stands beside it."""
    return int(key.lower().endswith("train/loss"))


def _kind(file: Path) -> str:
    if file.name in SETTINGS:
        return ""
    if file.name.startswith("events.out.tfevents"):
        return "tensorboard"
    if file.suffix == ".csv":
        return "csv"
    if file.name == "progress.txt":
        return "tsv"
    return "json" if file.suffix in (".json", ".jsonl") else ""


def _rows(file: Path) -> Iterator[tuple[str, float, float]]:
    kind = _kind(file)
    if kind == "tensorboard":
        yield from _tensorboard(file)
    elif kind in ("csv", "tsv"):
        yield from _table(_csv(file, "\t" if kind == "tsv" else ","))
    elif kind == "json":
        yield from _table(_json(file))


def _tensorboard(file: Path) -> Iterator[tuple[str, float, float]]:
    need("tensorboard", "rl", "Reading TensorBoard files")
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
        EventAccumulator,
    )

    events = EventAccumulator(str(file), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    for tag in events.Tags()["scalars"]:
        for event in events.Scalars(tag):
            yield tag, float(event.step), float(event.value)
    for tag in events.Tags().get("tensors", []):
        for event in events.Tensors(tag):
            if len(event.tensor_proto.float_val) == 1:
                yield tag, float(event.step), float(event.tensor_proto.float_val[0])


def _csv(file: Path, comma: str) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        text = (line for line in lines if not line.startswith("#"))  # monitor.csv opens with a comment
        yield from csv.DictReader(text, delimiter=comma)


def _json(file: Path) -> Iterator[dict[str, Any]]:
    text = file.read_text("utf-8", errors="replace")
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = [row for row in map(_line, text.splitlines()) if row is not None]
    if isinstance(whole, dict) and isinstance(whole.get("log_history"), list):
        whole = whole["log_history"]
    for row in whole if isinstance(whole, list) else [whole]:
        if isinstance(row, dict):
            yield dict(_flattened(row))


def _line(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None  # the last line of a killed run is often torn


def _flattened(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{key}/")
        else:
            yield f"{prefix}{key}", value


def _table(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, float, float]]:
    for place, row in enumerate(rows):
        numbers = {key: _as_number(value) for key, value in row.items() if key is not None}
        low = {key.lower(): value for key, value in numbers.items()}
        step = next((low[name] for name in STEPS if low.get(name) is not None), None)
        for key, value in numbers.items():
            if value is not None:
                yield key, float(place if step is None else step), value


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None or value == "":
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def finite(values: Iterable[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
