"""A plan in words: how many runs, how long, what they can show, and what to beware of."""

import math
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sleuth.sweeping.jobs import jobs
from sleuth.sweeping.local import slots
from sleuth.sweeping.plan import Plan
from sleuth.sweeping.power import WANTED, detectable, seeds_needed
from sleuth.sweeping.running import Event, Standing

EFFECTS = (3.0, 2.0, 1.5, 1.0)  # noise standard deviations worth quoting


def text(plan: Plan, seen: Standing) -> str:
    return "\n".join(
        [*_head(plan), *_size(plan, seen), *_power(plan), *(f"! {line}" for line in cautions(plan))]
    )


def payload(plan: Plan, seen: Standing) -> dict[str, Any]:
    effect = _detectable(plan)
    return {
        "schema": "sleuth.sweep.plan/1",
        "name": plan.name,
        "question": plan.question,
        "hypothesis": plan.hypothesis,
        "params": {name: list(values) for name, values in plan.params.items()},
        "search": {name: [r.low, r.high, r.scale] for name, r in plan.search.items()},
        "seeds": list(plan.seeds),
        "metric": plan.metric,
        "runs": len(jobs(plan)),
        "todo": len(seen.todo),
        "finished": seen.finished,
        "failed": len(seen.failed),
        "expected_seconds": expected(plan, seen),
        "detectable_sd": None if effect is None else round(effect, 3),
        "seeds_for_80_percent": {f"{size:g}": seeds_needed(size, _values(plan)) for size in EFFECTS},
        "warnings": list(cautions(plan)),
    }


def _head(plan: Plan) -> Iterator[str]:
    yield f"{plan.name}: {plan.question or '(no question)'}"
    if plan.hypothesis:
        yield f"hypothesis: {plan.hypothesis}"


def _size(plan: Plan, seen: Standing) -> Iterator[str]:
    count = len(jobs(plan))
    if plan.search:
        what = f"{plan.samples} random points in {', '.join(plan.search)} × {_seeds(plan)}"
    elif plan.cells:
        what = "the missing cells"
    else:
        what = " × ".join([*(f"{len(v)} values of {name}" for name, v in plan.params.items()), _seeds(plan)])
    better = "lower" if plan.lower_is_better else "higher"
    room = slots(plan.limits)
    yield f"{count} runs: {what}; {plan.metric}, {better} is better; {room} at a time on this machine"
    if seen.finished or seen.failed:
        yield (
            f"{seen.finished} are finished, {len(seen.failed)} failed and are kept, {len(seen.todo)} are "
            "to do"
        )
    took = expected(plan, seen)
    if took is None:
        yield "time: not known yet; --time runs the first one and tells"
    else:
        known = seen.seconds or seen.elsewhere
        where = "finished" if seen.seconds else "runs of the same script in the archive"
        middle = duration(statistics.median(known))
        yield f"time: about {duration(took)} (a run takes {middle}, from {len(known)} {where})"


def expected(plan: Plan, seen: Standing) -> float | None:
    """Seconds for what is to do, from the runs that are finished, here or in the archive."""
    known = seen.seconds or seen.elsewhere
    if not known:
        return None
    return math.ceil(len(seen.todo) / slots(plan.limits)) * statistics.median(known)


def _power(plan: Plan) -> Iterator[str]:
    if plan.search or plan.cells:
        return
    effect, values = _detectable(plan), _values(plan)
    if effect is None:
        yield f"power: {_seeds(plan)} can never show a reliable difference; 3 are the minimum"
    else:
        yield (
            f"power: {_seeds(plan)} show a value that differs by {effect:.1f} noise sd with {WANTED:.0%} "
            "chance (noise: "
            "what remains of the scatter between runs when each seed's own level is taken out)"
        )
    needs = ", ".join(f"{size:g} sd {seeds_needed(size, values)}" for size in EFFECTS)
    yield f"       seeds needed for {WANTED:.0%}: {needs}"


def cautions(plan: Plan) -> Iterator[str]:
    if not plan.question:
        yield "There is no question: write down what you want to know before you see the result."
    if not plan.hypothesis:
        yield "There is no hypothesis: say what you expect, so that a surprise can be one."
    if len(plan.params) > 1:
        yield (
            f"{len(plan.params)} parameters vary ({', '.join(plan.params)}): their effects cannot be told "
            "apart by this analysis. Sweep one at a time."
        )
    if plan.search:
        yield (
            "A random search explores; it proves nothing. Follow up with a paired sweep of the best few "
            "values."
        )
    elif len(plan.values) == 1:
        yield "One value: there is nothing to compare it with."
    if len(plan.seeds) < 3 and not plan.search and not plan.cells:
        yield (
            f"{_seeds(plan)}: no verdict can be reliable. Use at least 3, better as many as the power "
            "line says."
        )


def _detectable(plan: Plan) -> float | None:
    return None if plan.search else detectable(_values(plan), len(plan.seeds))


def _values(plan: Plan) -> int:
    return max(2, math.prod(len(values) for values in plan.params.values()))


def _seeds(plan: Plan) -> str:
    return f"{len(plan.seeds)} seed" + ("" if len(plan.seeds) == 1 else "s")


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 or seconds < 0.05 else f"{seconds:.1f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


BAR = 24  # signs


@dataclass(frozen=True)
class Progress:
    """How far a sweep has come."""

    name: str
    total: int
    began: float
    ended: int = 0
    failed: int = 0
    running: int = 0

    def after(self, event: Event) -> "Progress":
        if event.state == "running":
            return replace(self, running=self.running + 1)
        failed = self.failed + (event.state != "finished")
        return replace(self, running=max(self.running - 1, 0), ended=self.ended + 1, failed=failed)


def progress_line(state: Progress) -> str:
    done = int(BAR * state.ended / max(state.total, 1))
    bar = "#" * done + "-" * (BAR - done)
    counts = f"{state.ended}/{state.total}, {state.running} running, {state.failed} failed"
    return f"{state.name} [{bar}] {counts}, {_left(state)} left"


def ended_line(event: Event, state: Progress) -> str:
    if event.state == "finished":
        counts = f"{state.ended}/{state.total}, {_left(state)} left"
        return f"{event.job.key}: finished in {duration(event.seconds)} ({counts})"
    return f"{event.job.key}: {event.state} ({event.why}); log: {event.folder}/log.txt"


def _left(state: Progress) -> str:
    if not state.ended:
        return "?"
    return duration((time.time() - state.began) / state.ended * (state.total - state.ended))


def queue(plans: Sequence[Plan]) -> list[Plan]:
    """Several plans in the order they run: by falling priority, then as given."""
    return sorted(plans, key=lambda plan: -plan.priority)
