"""An unmodified script as the target: run once a probe, with the probe's id where the script takes one."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.rl import autoreset, tables
from sleuth.rl.guest import ELSEWHERE, LEFT, Plan, packed, reading_from
from sleuth.rl.ladder import LEAP, SPREAD, Pace, Rung, Session, Trouble, Unsuited, climb, settled
from sleuth.rl.last_words import last_words
from sleuth.rl.learner import Form
from sleuth.rl.probing import Ladder, Request, asked_spaces, concluded, in_other_spaces, tables_for
from sleuth.rl.reading import Reading
from sleuth.rl.tables import SPACE_PROBES, Table

FIRST, LAST = 200, 20_000
SHORT = 4000  # a script that ends before this many steps may simply not have learnt yet
PATIENCE = 600.0  # seconds for one run
# Tried in this order on a script that breaks before its first step.
FORMS = (Form(), Form(continuous=True), Form("image"), Form("discrete"), Form("dict"), Form("multi-discrete"))


@dataclass
class ScriptSession:
    """One run of the script, played back check by check."""

    plan: Plan
    readings: list[tuple[int, Reading]] = field(default_factory=list)
    course: list[tuple[int, Reading]] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    rule: dict[str, str] = field(default_factory=dict)
    trouble: str = ""
    begun: bool = False
    gathered: bool = False
    trained: int = 0

    def until(self, steps: int) -> Reading | None:
        if not self.begun:
            self.begin()
        if not self.readings:
            return None
        self.course.append(self.readings.pop(0))
        self.trained, reading = self.course[-1]
        return reading

    def begin(self) -> None:
        self.begun = True
        found = _ran(self.plan)
        self.facts, self.gathered = found["facts"], found["gathered"]
        self.rule = {key: found[key] for key in ("autoreset", "gymnasium", "library") if key in found}
        self.trouble = found["trouble"]
        if (
            not self.facts["steps"]
            and self.facts["copies"]
            and (not self.trouble or ELSEWHERE in self.trouble)
        ):
            raise Unsuited(ELSEWHERE)
        if self.trouble and not found["checks"]:
            raise Trouble(self.trouble)
        if not self.facts["copies"]:
            raise Trouble("the script never made the environment it was given")
        self.readings = [(entry["steps"], reading_from(entry)) for entry in found["checks"]]


def _ran(plan: Plan) -> dict[str, Any]:
    """In a folder of its own: what the script writes there is thrown away."""
    with tempfile.TemporaryDirectory() as scratch:
        out, note = Path(scratch) / "sleuth-out.json", Path(scratch) / "sleuth-plan.json"
        note.write_text(json.dumps(asdict(replace(plan, out=str(out)))), "utf-8")
        command = [sys.executable, "-m", "sleuth.rl.guest", str(note)]
        try:
            done = subprocess.run(
                command, cwd=scratch, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            raise Trouble(f"the script was still running after {PATIENCE:.0f} s") from None
        told = last_words(done.stderr)
        if not out.exists():
            raise Trouble(f"the script could not be run: {told or f'exit code {done.returncode}'}")
        found: dict[str, Any] = json.loads(out.read_text("utf-8"))
        if found["trouble"].startswith(LEFT) and told:
            found["trouble"] += f" ({told})"
        return found


def filled(arguments: Sequence[str], table: Table, seed: int, gamma: float) -> tuple[str, ...]:
    words = {"{env}": env_id(table), "{seed}": str(seed), "{gamma}": str(gamma)}
    return tuple(_replaced(argument, words) for argument in arguments)


def _replaced(argument: str, words: dict[str, str]) -> str:
    for key, value in words.items():
        argument = argument.replace(key, value)
    return argument


def env_id(table: Table) -> str:
    """No slash: scripts make folders of it."""
    return f"Sleuth-{table.name}-v0"


def probe_script(
    target: str, arguments: Sequence[str], request: Request, step: Callable[[Rung], None] = lambda _: None
) -> Ladder:
    path = Path(target)
    if not path.is_file():
        raise SleuthError(f"There is no file {target!r}.")
    text = path.read_text("utf-8", errors="replace")
    swap = not any("{env}" in word for word in arguments)
    if swap and "gym" not in text:
        raise SleuthError(
            f"{target} has no environment to replace: write where its id goes, as in `sleuth rl probe "
            f"{target} -- "
            "--env-id {env}`, or give a function as file.py:learn."
        )
    if swap and ".make(" not in text:
        raise SleuthError(
            f"{target} makes its environment in a way that cannot be replaced; write where the id goes, "
            "as in "
            f"`sleuth rl probe {target} -- --env-id {{env}}`."
        )
    return _climbed(path, text, arguments, request, swap, step)


def _climbed(
    path: Path,
    text: str,
    arguments: Sequence[str],
    request: Request,
    swap: bool,
    step: Callable[[Rung], None],
) -> Ladder:
    last = request.steps or LAST
    done: list[Rung] = []
    sessions: list[ScriptSession] = []
    chosen: list[Form] = []
    own_gamma = any("{gamma}" in word for word in arguments)

    def start(table: Table, seed: int, gamma: float) -> Session:
        if table.gamma is not None and not own_gamma:
            raise Unsuited("needs a discount of its own: let the script take it with {gamma}")
        words = filled(arguments, table, seed, gamma)
        before = next((old.course for old in reversed(sessions) if old.plan.probe == table.name), [])
        ends = patience(done, last, before)
        plan = Plan(table.name, env_id(table), gamma, FIRST, ends, {}, swap, str(path.resolve()), words, "")
        if table.name in SPACE_PROBES:
            session = ScriptSession(replace(plan, form=packed(Form(table.name))))
        elif chosen:
            session = ScriptSession(replace(plan, form=packed(chosen[0])))
        else:
            session, form = _suited(plan, _forms(request))
            chosen.append(form)
        sessions.append(session)
        return session

    def told(rung: Rung) -> None:
        done.append(rung)
        step(rung)

    def climbed(tables: Sequence[Table]) -> list[Rung]:
        pace = Pace(FIRST, SPREAD, last)
        found = climb(tables, start, lambda _: pace, request.gamma, request.seed, told)
        return [_ended_early(rung, last) for rung in found]

    rungs = climbed([*tables_for(request), *asked_spaces(request)])
    if not request.only and chosen and chosen[0].continuous:
        rungs += climbed(list(tables.continuous().values()))
    if rungs and all(rung.result == "crashed" for rung in rungs):
        raise SleuthError(f"{path.name}: {rungs[0].reason}.")
    return concluded(rungs, _remarks(sessions, text, swap, chosen if _forms(request) is FORMS else ()))


def patience(done: Sequence[Rung], last: int, before: Sequence[tuple[int, Reading]] = ()) -> int:
    """Steps for the next run: once something is surely broken, the others only help to name it.

    `before`: what another seed showed in the same world. One that stood still need not be waited for as long.
    """
    needed = [rung.last.steps for rung in done if rung.result == "passed" and rung.last is not None]
    least = max(SHORT, LEAP * max(needed, default=0))
    if any(rung.result == "failed" for rung in done):
        last = min(last, max(least, last // LEAP))
    return min(last, max(least, 2 * settled(before))) if before else last


def _forms(request: Request) -> Sequence[Form]:
    """What was asked for, else whatever the script takes first."""
    if request.like is not None:
        return (Form(like=request.like),)
    if request.spaces is not None:
        return (Form(request.spaces), Form(request.spaces, True))
    return FORMS


def _suited(plan: Plan, forms: Sequence[Form]) -> tuple[ScriptSession, Form]:
    """The first run: a script that breaks before its first step may want other spaces.

    One that breaks before it makes an environment would break in every world: that is said at once.
    """
    for form in forms:
        session = ScriptSession(replace(plan, form=packed(form)))
        try:
            session.begin()
        except Unsuited:
            return ScriptSession(session.plan), form
        except Trouble as trouble:
            if not session.facts.get("copies"):
                raise SleuthError(f"{Path(plan.script).name}: {trouble}.") from None
            if session.facts.get("steps"):
                break
        else:
            return session, form
    return ScriptSession(replace(plan, form=packed(forms[0]))), forms[0]  # told where it is expected


def _ended_early(rung: Rung, last: int) -> Rung:
    steps = rung.facts.get("steps", 0)
    if rung.result == "failed" and steps < min(SHORT, last):
        reason = f"the script ended after {steps:.0f} steps, too few to judge ({rung.reason})"
        return replace(rung, result="undecided", reason=reason)
    return rung


def _remarks(sessions: Sequence[ScriptSession], text: str, swap: bool, chosen: Sequence[Form]) -> list[str]:
    remarks = []
    if swap:
        remarks.append(
            "No {env} among the arguments: every environment the script made was replaced by the probe."
        )
    if chosen and chosen[0] in FORMS[1:]:
        remarks.append(in_other_spaces(chosen[0], "script"))
    if any(session.gathered for session in sessions):
        remarks.append(
            "AsyncVectorEnv was replaced by SyncVectorEnv: in other processes nothing can be read."
        )
    broke = [session.trouble for session in sessions if session.trouble and session.facts.get("steps")]
    if broke:
        remarks.append(f"In {len(broke)} of {len(sessions)} runs the script broke off: {broke[0]}.")
    rule = next((session.rule for session in sessions if session.rule.get("autoreset")), {})
    return [*remarks, *filter(None, [autoreset.remark(rule, text)])]
