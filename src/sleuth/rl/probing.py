"""`sleuth rl probe`: one request, from the target to named findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sleuth.errors import SleuthError, did_you_mean
from sleuth.finding import Finding
from sleuth.needs import need
from sleuth.rl import learner, sb3
from sleuth.rl.ladder import Pace, Rung, Start, Trouble, climb
from sleuth.rl.naming import name
from sleuth.rl.reading import Reading
from sleuth.rl.tables import SPACE_PROBES, Table, continuous, extra, ladder, space_probes
from sleuth.rl.truth import best_values

SCHEMA = "sleuth.rl/1"
REFUSALS = 2  # different ones, of the many spaces that were tried


@dataclass(frozen=True)
class Request:
    """What to probe and how."""

    gamma: float = 0.99
    seed: int = 0
    steps: int | None = None
    only: tuple[str, ...] = ()
    spaces: str | None = None
    like: Any = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ladder:
    """The result: every probe, and what it means."""

    rungs: tuple[Rung, ...]
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...] = ()

    @property
    def examined(self) -> bool:
        return any(rung.result not in ("crashed", "skipped") for rung in self.rungs)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "probes": [as_probe(rung) for rung in self.rungs],
            "findings": [entry.to_dict() for entry in self.findings],
        }


def as_probe(rung: Rung) -> dict[str, Any]:
    """`passed` is null where a probe decided nothing; `numbers` says why."""
    passed = {"passed": True, "implied": True, "failed": False}.get(rung.result)
    return {"name": rung.table.name, "passed": passed, "numbers": numbers(rung)}


def numbers(rung: Rung) -> dict[str, Any]:
    found: dict[str, Any] = {"verdict": rung.result, "gamma": rung.gamma}
    if rung.reason:
        found["reason"] = rung.reason
    if rung.last is None:
        return found
    found |= {"steps": rung.last.steps, "seeds": rung.seeds, "failing_seeds": rung.failing}
    if rung.last.error.size is not None:
        found["error_in_tolerances"] = _finite(rung.last.error.size)
    truth = best_values(rung.table, rung.gamma)
    seen: dict[str, Any] = {}
    for state in range(rung.table.states):
        label = rung.table.label(state)
        if rung.table.targets and (done := rung.last.reading.acted[state]) is not None:
            seen[f"action({label})"] = _finite(done)
            seen[f"right action({label})"] = rung.table.targets[state]
        if rung.last.reading.worth is not None and rung.table.asks != "policy":
            seen[f"V({label})"] = _finite(rung.last.reading.worth[state])
            seen[f"right V({label})"] = round(truth[state], 4)
        second = rung.last.reading.second[state] if rung.last.reading.second else None
        if second is not None and rung.table.best is not None and state in rung.table.best:
            chance = second if rung.table.best[state] == 1 else 1.0 - second
            seen[f"P(best | {label})"] = _finite(chance)
    return found | seen


def _finite(value: float) -> float | str:
    return round(value, 4) if value == value and abs(value) < 1e300 else str(value)


def tables_for(request: Request, continuous_too: bool = False) -> list[Table]:
    """The ladder, or what was asked for by name; probes with other spaces are variants of the fifth."""
    known = ladder() | extra() | continuous()
    if not request.only:
        return [*ladder().values(), *(continuous().values() if continuous_too else ())]
    for word in request.only:
        if word not in known and word not in SPACE_PROBES:
            raise SleuthError(f"There is no probe {word!r}.{did_you_mean(word, [*known, *SPACE_PROBES])}")
    return [replace(known[word], implied_by=()) for word in request.only if word in known]


def asked_spaces(request: Request) -> list[Table]:
    return [table for word, table in space_probes().items() if word in request.only]


Progress = Callable[[Rung], None]


def probe_learn(learn: Callable[..., Any], request: Request, step: Progress = lambda _: None) -> Ladder:
    """A user's own `learn(make_env, steps, seed, gamma)`."""
    need("gymnasium", "rl", "`sleuth rl`")
    asked = tables_for(request)
    first = next((table for table in asked if not table.targets), ladder()["constant"])
    forms: tuple[learner.Form, ...] = learner.FORMS
    if request.like is not None or request.spaces is not None:
        forms = (learner.Form(request.spaces or "vector", like=request.like),)
    form, says, troubles = learner.fitting_form(learn, first, request.gamma, request.seed, forms)
    if troubles:
        different = list(dict.fromkeys(troubles))[:REFUSALS]
        raise SleuthError("The agent could not be trained in any probe world: " + " · ".join(different))
    remarks = [*_unanswered(says), *_remarks(learn, first, form, request)]
    pace = learner.pace(learn, request.steps or learner.LAST)
    tables = tables_for(request, form.continuous)
    rungs = climb(tables, learner.starter(learn, form, says), pace, request.gamma, request.seed, step)
    rungs += _space_probes(lambda form: (learner.starter(learn, form), pace), request, step)
    return concluded(rungs, remarks)


def _unanswered(says: Reading) -> list[str]:
    """Members that answered in the wrong shape; the behaviour of the agent stands in for its policy."""
    return [f"Not used: {trouble}." for trouble in says.troubles]


def _remarks(learn: Callable[..., Any], first: Table, form: learner.Form, request: Request) -> list[str]:
    tried = request.like is None and request.spaces is None
    remarks = [in_other_spaces(form, "agent")] if tried and form != learner.Form() else []
    try:
        if not learner.repeatable(learn, first, form, request.gamma, request.seed):
            remarks.append(
                "Two runs with one seed differ: the agent does not use its seed for everything it draws."
            )
    except Trouble:
        pass  # the ladder says it
    return remarks


def in_other_spaces(form: learner.Form, who: str) -> str:
    actions = "continuous actions" if form.continuous else "two actions"
    return f"The {who} was probed with {form.spaces} observations and {actions}; it refused others."


def probe_sb3(word: str, request: Request, step: Progress = lambda _: None) -> Ladder:
    """A Stable-Baselines3 class with the user's settings."""
    need("gymnasium", "rl", "`sleuth rl`")
    on_policy = word in sb3.ON_POLICY

    def prepared(form: learner.Form) -> tuple[Start, Callable[[Table], Pace]]:
        make = sb3.maker(word, request.kwargs, form)
        return sb3.starter(make, form, on_policy), _shared_pace(sb3.pace(make, form, on_policy), request)

    form = sb3.form_for(word, request.spaces or sb3.spaces_of(request.kwargs), request.like)
    start, pace = prepared(form)
    tables = tables_for(request, form.continuous)
    if not on_policy:
        tables = [replace(t, implied_by=("long-chain",)) if t.endless else t for t in tables]
    rungs = climb(tables, start, pace, request.gamma, request.seed, step)
    rungs += _space_probes(lambda form: prepared(sb3.form_for(word, form.spaces)), request, step)
    return concluded(rungs, [])


def _shared_pace(measure: Callable[[Table], Pace], request: Request) -> Callable[[Table], Pace]:
    """Measured once, on the first world; `--steps` overrules where patience ends."""
    held: list[Pace] = []

    def chosen(table: Table) -> Pace:
        if not held:
            held.append(measure(table))
        return held[0] if request.steps is None else replace(held[0], last=request.steps)

    return chosen


def _space_probes(
    make: Callable[[learner.Form], tuple[Start, Callable[[Table], Pace]]], request: Request, step: Progress
) -> list[Rung]:
    found: list[Rung] = []
    for table in asked_spaces(request):
        start, pace = make(learner.Form(table.name))
        found += climb([table], start, pace, request.gamma, request.seed, step)
    return found


def concluded(rungs: Sequence[Rung], remarks: Sequence[str]) -> Ladder:
    return Ladder(tuple(rungs), tuple(name(rungs)), tuple(remarks))
