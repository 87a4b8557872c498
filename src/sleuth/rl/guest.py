"""Runs an unmodified training script in a probe world and writes down what its networks believe.

Started as a process of its own by `sleuth.rl.script`, with the plan in a JSON file. The script sees its own
`__main__`, arguments and folder; the environment is the clock, and every so often the networks are read.
"""

import base64
import json
import os
import pickle
import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sleuth.rl.judge import judge
from sleuth.rl.ladder import IN_A_ROW, SPREAD
from sleuth.rl.learner import Form
from sleuth.rl.reading import Reading, behaviour, read
from sleuth.rl.scout import Scout, scout_for
from sleuth.rl.tables import Table, probe_named
from sleuth.rl.worlds import Coding, EnoughSteps, Witness, make_world

LEFT = "the script left with"
ELSEWHERE = "the script steps its environment in other processes, where it cannot be read"


def packed(form: Form) -> dict[str, Any]:
    """A form as JSON; of an environment whose spaces are kept only these travel."""
    kept = None if form.like is None else (form.like.observation_space, form.like.action_space)
    like = base64.b64encode(pickle.dumps(kept)).decode("ascii")
    return {"spaces": form.spaces, "continuous": form.continuous, "like": like}


def unpacked(form: Mapping[str, Any]) -> Form:
    kept = pickle.loads(base64.b64decode(form["like"]))
    like = None if kept is None else SimpleNamespace(observation_space=kept[0], action_space=kept[1])
    return Form(form["spaces"], form["continuous"], like)


@dataclass(frozen=True)
class Plan:
    """What the parent wants."""

    probe: str
    id: str
    gamma: float
    first: int
    last: int
    form: Mapping[str, Any]  # what `packed` makes of a Form
    swap: bool
    script: str
    arguments: tuple[str, ...]
    out: str


@dataclass
class Notebook:
    """What was seen so far; written at the end, however that comes."""

    checks: list[dict[str, Any]] = field(default_factory=list)
    row: int = 0
    due: int = 0
    learning: int = 0  # steps before the first update of an optimizer
    updated: bool = False
    gathered: bool = False
    trouble: str = ""
    stopped: bool = False
    rule: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Visit:
    """One script in one world: everything that a look needs."""

    plan: Plan
    table: Table
    code: Coding
    witness: Witness
    notes: Notebook
    scout: Scout | None
    home: int

    def on_step(self, steps: int) -> None:
        if os.getpid() != self.home:
            raise RuntimeError(ELSEWHERE)
        if steps < self.notes.due or self._too_early(steps):
            return
        self.look(steps)
        self.notes.due = max(steps + 1, int(steps * SPREAD))
        if self.notes.row >= IN_A_ROW or (
            steps >= self.notes.learning + self.plan.last and not self.notes.row
        ):
            raise EnoughSteps

    def _too_early(self, steps: int) -> bool:
        """A replay buffer is filled first: what an untrained network says is no answer."""
        waits = self.scout is not None and self.scout.optimizers > 0 and not self.notes.updated
        return waits and steps < self.plan.last

    def look(self, steps: int, last: bool = False) -> None:
        self.notes.rule = self.notes.rule or _reset_rule()  # while the script's environments are still alive
        agent = self.scout.agent(self._acts) if self.scout is not None else {}
        reading = read(agent, self.table, self.code, self.witness)
        size = judge(self.table, self.plan.gamma, reading).size
        if size is None and not last and steps < self.plan.last:
            return  # networks that were never called cannot be found yet
        self.notes.row = self.notes.row + 1 if size is not None and size <= 1.0 else 0
        self.notes.checks.append({"steps": steps} | asdict(reading))

    def _acts(self, shown: Any) -> float:
        """The continuous action lately taken where this is seen; in the middle where none was."""
        import numpy as np

        space = self.code.action_space
        low, high = float(space.low.reshape(-1)[0]), float(space.high.reshape(-1)[0])
        if not (np.isfinite(low) and np.isfinite(high)):
            low, high = -1.0, 1.0
        for seen, share in zip(self.code.observations, behaviour(self.table, self.witness), strict=True):
            if share is not None and np.array_equal(seen, shown):
                return low + share * (high - low)
        return (low + high) / 2.0

    def updated(self, *_: Any) -> None:
        if not self.notes.updated:
            self.notes.updated, self.notes.learning = True, self.witness.steps


def run(plan: Plan) -> None:
    import gymnasium

    table = probe_named(plan.probe)
    code = unpacked(plan.form).coding(table)
    scout = scout_for(Path(plan.script).read_text("utf-8", errors="replace"), code)
    visit = Visit(plan, table, code, Witness(), Notebook(due=plan.first), scout, os.getpid())
    visit.witness.on_step = visit.on_step
    if scout is not None:
        scout.attach(visit.updated)
    _register(gymnasium, plan, lambda: make_world(table, code, visit.witness))
    _in_one_process(gymnasium, visit.notes)
    _played(plan, visit.notes)
    if not visit.notes.stopped and visit.witness.steps and not visit.notes.trouble:
        visit.look(visit.witness.steps, last=True)
    _write(plan, visit.witness, visit.notes)


def _played(plan: Plan, notes: Notebook) -> None:
    sys.argv = [plan.script, *plan.arguments]
    sys.path.insert(0, str(Path(plan.script).resolve().parent))
    try:
        runpy.run_path(plan.script, run_name="__main__")
    except EnoughSteps:
        notes.stopped = True
    except SystemExit as leaving:
        notes.trouble = "" if leaving.code in (None, 0) else f"{LEFT} {leaving.code}"
    except Exception as error:
        from sleuth.rl.learner import sentence

        notes.trouble = sentence(error).replace("learn raised", "the script raised")


def _in_one_process(gymnasium: Any, notes: Notebook) -> None:
    """Copies in other processes would report to nobody: they are stepped here, one after the other."""

    def together(env_fns: Any, *_: Any, autoreset_mode: Any = None, **__: Any) -> Any:
        notes.gathered = True
        modes = {} if autoreset_mode is None else {"autoreset_mode": autoreset_mode}
        return gymnasium.vector.SyncVectorEnv(env_fns, **modes)

    gymnasium.vector.AsyncVectorEnv = together


def _register(gymnasium: Any, plan: Plan, make: Callable[[], Any]) -> None:
    def entry(**_: Any) -> Any:
        return make()

    gymnasium.register(plan.id, entry_point=entry, disable_env_checker=True, order_enforce=False)
    if plan.swap:  # the script knows no other environment than its own: every one it makes is the probe
        original = gymnasium.make

        def swapped(*_: Any, **__: Any) -> Any:
            return original(plan.id)

        gymnasium.make = swapped


def _write(plan: Plan, witness: Witness, notes: Notebook) -> None:
    facts = {
        name: getattr(witness, name)
        for name in ("steps", "copies", "after_end", "after_limit", "before_reset")
    }
    found = {"checks": notes.checks, "trouble": notes.trouble, "facts": facts, "stopped": notes.stopped}
    found["gathered"] = notes.gathered
    Path(plan.out).write_text(json.dumps(found | notes.rule), "utf-8")


def _reset_rule() -> dict[str, str]:
    """Which rule the script's vector environment follows."""
    import gc

    import gymnasium

    version = gymnasium.__version__
    for thing in gc.get_objects():
        if isinstance(thing, gymnasium.vector.VectorEnv):
            mode = (getattr(thing, "metadata", None) or {}).get("autoreset_mode")
            if mode is not None:
                return {"autoreset": str(getattr(mode, "name", mode)), "gymnasium": version}
            if version.startswith("0."):  # there was one rule, and no word for it
                return {"autoreset": "SAME_STEP", "gymnasium": version}
    library = sys.modules.get("stable_baselines3.common.vec_env")
    if library is not None and any(isinstance(thing, library.VecEnv) for thing in gc.get_objects()):
        return {"autoreset": "SAME_STEP", "gymnasium": version, "library": "Stable-Baselines3"}
    return {"gymnasium": version}


def reading_from(entry: dict[str, Any]) -> Reading:
    """The other way: what `asdict` wrote."""
    q = entry["q"]
    return Reading(
        tuple(entry["values"]) if entry["values"] is not None else None,
        tuple((row[0], row[1]) for row in q) if q is not None else None,
        tuple(entry["policy"]) if entry["policy"] is not None else None,
        tuple(entry["acted"]),
        tuple(entry["troubles"]),
        entry["ranged"],
    )


if __name__ == "__main__":
    written = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    run(Plan(**{**written, "arguments": tuple(written["arguments"])}))
