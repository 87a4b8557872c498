"""Which column plays which part: parameter, metric, seed, group, state, time, configuration, bookkeeping."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.errors import SleuthError, did_you_mean
from sleuth.sweeping.table import Column, Scalar, Table, all_numbers, indexed

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

SEEDS = ("seed", "random_seed", "rng_seed", "random_state", "seeds")
STATES = ("state", "status", "run_state", "run_status")
# Newest last: the end of a run says more about its order than its start.
TIMES = (
    "end_time finished_at ended_at finished ended end completed_at updated_at heartbeat_at _timestamp "
    "timestamp start_time started_at started created_at created createdat date datetime"
).split()
# Names of a run, whatever they hold. Anything else is an id when it is unique to a run.
IDS = frozenset(
    "id run run_id runid run_name runname name display_name displayname uuid guid url link logdir log_dir "
    "log_file pid job job_id jobid index idx notes note comment description trial trial_id artifact_uri "
    "experiment_id user user_id attempt hostname_pid".split()
)
ID_WORDS = frozenset(
    "id uuid guid hash name path dir file url uri log pid number no nr index idx key".split()
)
TIME_WORDS = frozenset(
    "time date timestamp runtime duration elapsed seconds secs minutes hours at ms".split()
)
OUTCOMES = frozenset(
    "loss acc accuracy acc1 acc5 top1 top5 error err reward rewards return returns score f1 auc auroc "
    "auprc ap precision recall perplexity ppl bleu rouge wer cer rmse mse mae mape r2 iou dice miou nll "
    "elbo fid psnr ssim metric bpb bpc regret norm throughput fps memory".split()
)
ENDINGS = frozenset(
    "mean std sd se sem max min final best last avg average total median epoch step value train val valid "
    "validation test eval dev 1 5 10".split()
)
SETTINGS = frozenset(
    "lr rate decay wd momentum dropout size batch beta beta1 beta2 gamma alpha lambda eps epsilon "
    "temperature coef coefficient weight ratio tau warmup width depth layers hidden dim units heads "
    "epochs steps clip smoothing fraction split frac fold scale init version optimizer model dataset".split()
)
REACHED = frozenset("epoch step global_step _step iteration iterations current_epoch num_steps_done".split())
PREFIXES = (
    "config.",
    "params.",
    "config/",
    "params/",
    "hparams.",
    "hparams/",
    "param.",
    "parameters.",
    "args.",
)
SHOWN = 12  # column names in a message


@dataclass(frozen=True)
class Roles:
    """Names of columns. `guessed` are those taken for outcomes or ids by what they hold, not by their
    name.
    """

    param: str
    metric: str
    seed: str
    group: str | None
    state: str | None
    time: str | None
    run: str | None
    config: tuple[str, ...]
    guessed: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """What the user said about columns."""

    param: str
    metric: str
    seed: str | None = None
    group: str | None = None
    config: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def roles(table: Table, asked: Asked) -> Roles:
    names = table.columns
    param = find(names, asked.param, "parameter", "--param", table.source)
    metric = find(names, asked.metric, "metric", "--metric", table.source)
    if param == metric:
        raise SleuthError(
            f"Parameter and metric are both {param!r}: a sweep varies one and measures another."
        )
    seed = _seed(table, asked.seed, {param, metric})
    group = _group(table, asked.group, {param, metric, seed})
    state = _first(names, STATES)
    time = _first(names, TIMES)
    ignored = {find(names, name, "column", "--ignore-columns", table.source) for name in asked.ignore}
    chosen = [find(names, name, "column", "--config", table.source) for name in asked.config]
    taken = {param, metric, seed, group, state, time} | ignored
    rest = [name for name in names if name not in taken]
    config, guessed = _configuration(table, rest) if not chosen else (tuple(chosen), ())
    run = _run_id(table, [name for name in names if name not in taken and name not in config])
    return Roles(param, metric, seed, group, state, time, run, config, guessed)


def find(names: Iterable[str], wanted: str, what: str, option: str, source: str) -> str:
    """The column meant by `wanted`: exact, or but for case, or the only one with a tracker's prefix."""
    known = list(names)
    if wanted in known:
        return wanted
    if not wanted:
        raise SleuthError(
            f"Say which column is the {what}: {option} NAME, one of {', '.join(known[:SHOWN])}."
        )
    near = [name for name in known if name.lower() == wanted.lower()]
    near = near or [name for name in known if tokens(name) == tokens(wanted)]
    near = near or [name for name in known if tokens(re.split(r"[./]", name)[-1]) == tokens(wanted)]
    if len(near) == 1:
        return near[0]
    if near:
        raise SleuthError(f"{wanted!r} could be {' or '.join(near)}: say which with {option}.")
    listed = ", ".join(known[:SHOWN]) + (f" and {len(known) - SHOWN} more" if len(known) > SHOWN else "")
    hint = did_you_mean(wanted, known)
    kind = "column" if what == "column" else f"{what} column"
    raise SleuthError(f"{source} has no {kind} {wanted!r}.{hint} Its columns: {listed}.")


def tokens(name: str) -> list[str]:
    """`val/topAcc_mean` → val top acc mean."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", apart) if word]


def _seed(table: Table, asked: str | None, taken: set[str]) -> str:
    if asked is not None:
        return find(table.columns, asked, "seed", "--seed", table.source)
    found = _first({name: 0 for name in table.columns if name not in taken}, SEEDS)
    if found is None:
        listed = ", ".join(list(table.columns)[:SHOWN])
        raise SleuthError(
            f"{table.source} has no seed column; its columns: {listed}. Name it with --seed: runs are "
            "compared within a seed, so without one nothing can be said."
        )
    return found


def _group(table: Table, asked: str | None, taken: set[str]) -> str | None:
    if asked is not None:
        return find(table.columns, asked, "group", "--group", table.source)
    return _first(
        {name: 0 for name in table.columns if name not in taken}, ("group", "run_group", "group_name")
    )


def _first(names: Mapping[str, object] | Sequence[str], wanted: Sequence[str]) -> str | None:
    """The first wanted name that is there, with or without a tracker's prefix."""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(bare(name).lower().replace(" ", "_"), name)
    return next((plain[word] for word in wanted if word in plain), None)


def bare(name: str) -> str:
    """A column's name without what a tracker puts in front."""
    for prefix in PREFIXES:
        if name.lower().startswith(prefix):
            return name[len(prefix) :]
    return name.removeprefix("tags.").removeprefix("attributes.")


def _configuration(table: Table, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns that say how a run was set up, and those left out by what they hold."""
    config, guessed = [], []
    for name in names:
        kind = _kind(name, table.columns[name], table.rows)
        if kind == "config":
            config.append(name)
        elif kind == "guessed":
            guessed.append(name)
    return tuple(config), tuple(guessed)


def _kind(name: str, column: Column, rows: int) -> str:
    """config, outcome, bookkeeping; `guessed` when only the contents speak against configuration."""
    lower = name.lower()
    if any(lower.startswith(prefix) for prefix in PREFIXES):
        return "config"
    if lower.startswith(("metrics.", "metrics/", "summary.", "summary/", "tags.", "_")):
        return "bookkeeping"
    words = tokens(name)
    if lower in IDS or lower.replace(" ", "_") in IDS | REACHED or lower.startswith("unnamed"):
        return "bookkeeping"
    codes, levels = indexed(column)
    filled = int((codes >= 0).sum())
    if len(levels) < 2:
        return "config"  # the same for all runs: part of the base configuration
    share = len(levels) / max(filled, 1)
    numbers = all_numbers(levels)
    if words and words[-1] in TIME_WORDS and (share > 0.5 or not numbers):
        return "bookkeeping"
    if share == 1 and words and words[-1] in ID_WORDS:
        return "bookkeeping"
    if numbers and _named_outcome(words) and (share > 0.5 or _fractional(levels)):
        return "outcome"
    if set(words) & SETTINGS:
        return "config"
    if numbers and share > 0.5 and filled >= 4 and _fractional(levels):
        return "guessed"
    return "guessed" if not numbers and share == 1 and filled >= 6 else "config"


def _named_outcome(words: Sequence[str]) -> bool:
    if not words:
        return False
    if words[-1] in OUTCOMES:
        return True
    return words[-1] in ENDINGS and any(word in OUTCOMES for word in words)


def _fractional(levels: Sequence[Scalar]) -> bool:
    return any(isinstance(level, float) and not level.is_integer() for level in levels)


def _run_id(table: Table, names: Sequence[str]) -> str | None:
    """A column that names every run: by its name first, else any that is unique."""
    ranked = sorted(names, key=lambda name: name.lower() not in ("run_id", "id", "run", "uuid", "runid"))
    for name in ranked:
        if not ({*tokens(name)} & (ID_WORDS | IDS)):
            continue
        codes, levels = indexed(table.columns[name])
        if len(levels) == table.rows == int((codes >= 0).sum()):
            return name
    return None


def run_names(table: Table, roles: Roles) -> "RunNames":
    if roles.run is None:
        return RunNames(None, ())
    codes, levels = indexed(table.columns[roles.run])
    return RunNames(codes, levels)


@dataclass(frozen=True)
class RunNames:
    """What to call a run: its id, or the number of its row."""

    codes: "NDArray[int64] | None"
    levels: tuple[Scalar, ...]

    def of(self, row: int) -> str:
        if self.codes is None:
            return f"row {row + 1}"
        return str(self.levels[int(self.codes[row])])
