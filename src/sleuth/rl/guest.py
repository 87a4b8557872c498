"""Runs an unmodified training script in a probe world and writes down what its networks believe.

Started as a process of its own by `sleuth.rl.script`, with the plan in a JSON file. The script sees its own
`__main__`, arguments and folder; the environment is the clock, and every so often the networks are read.
"""

import json
import runpy
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sleuth.rl.judge import judge
from sleuth.rl.ladder import IN_A_ROW, SPREAD
from sleuth.rl.learner import Form
from sleuth.rl.reading import Reading, read
from sleuth.rl.tables import Table, continuous, extra, ladder
from sleuth.rl.worlds import Coding, EnoughSteps, Witness, make_world

LEFT = "the script left with"


@dataclass(frozen=True)
class Plan:
    """What the parent wants."""

    probe: str
    id: str
    gamma: float
    first: int
    last: int
    continuous: bool
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
    trouble: str = ""
    stopped: bool = False
    rule: dict[str, str] = field(default_factory=dict)


def run(plan: Plan) -> None:
    import gymnasium

    table = (ladder() | extra() | continuous())[plan.probe]
    code = Form("vector", plan.continuous).coding(table)
    witness, notes = Witness(), Notebook(due=plan.first)
    scout = _scout(plan, code)
    witness.on_step = lambda steps: _looked(steps, plan, table, code, witness, notes, scout)
    _register(gymnasium, plan, lambda: make_world(table, code, witness))
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
    if not notes.stopped and witness.steps and not notes.trouble:
        _note(witness.steps, plan, table, code, witness, notes, scout)
    _write(plan, witness, notes)


def _looked(
    steps: int,
    plan: Plan,
    table: Table,
    code: Coding,
    witness: Witness,
    notes: Notebook,
    scout: "Scout | None",
) -> None:
    if steps < notes.due:
        return
    _note(steps, plan, table, code, witness, notes, scout)
    notes.due = max(steps + 1, int(steps * SPREAD))
    if notes.row >= IN_A_ROW or (steps >= plan.last and not notes.row):
        raise EnoughSteps


def _note(
    steps: int,
    plan: Plan,
    table: Table,
    code: Coding,
    witness: Witness,
    notes: Notebook,
    scout: "Scout | None",
) -> None:
    notes.rule = notes.rule or _reset_rule()  # while the script's environments are still alive
    reading = read(scout.agent() if scout is not None else {}, table, code, witness)
    size = judge(table, plan.gamma, reading).size
    notes.row = notes.row + 1 if size is not None and size <= 1.0 else 0
    notes.checks.append({"steps": steps} | asdict(reading))


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
    Path(plan.out).write_text(json.dumps(found | notes.rule), "utf-8")


def _reset_rule() -> dict[str, str]:
    """Which rule the script's vector environment follows."""
    import gc

    import gymnasium

    for thing in gc.get_objects():
        if isinstance(thing, gymnasium.vector.VectorEnv):
            mode = getattr(thing, "metadata", {}).get("autoreset_mode")
            if mode is not None:
                return {"autoreset": str(getattr(mode, "name", mode)), "gymnasium": gymnasium.__version__}
    return {"gymnasium": gymnasium.__version__}


@dataclass
class Scout:
    """Networks that were called with an observation, and what came out of them."""

    width: int
    actions: int
    seen: dict[int, tuple[Any, tuple[tuple[int, str], ...]]] = field(default_factory=dict)
    made: list[Any] = field(default_factory=list)

    def hook(self, module: Any, given: Any, out: Any) -> None:
        if id(module) in self.seen or not given or not hasattr(given[0], "shape"):
            return
        if given[0].ndim >= 1 and given[0].shape[-1] == self.width:
            heads = _heads(out, self.actions)
            if heads:
                self.seen[id(module)] = (module, heads)

    def agent(self) -> dict[str, Any]:
        """`value`, `q` and `policy`, as far as networks were found for them."""
        found: dict[str, Any] = {}
        values, scores = self._with("value"), self._with("scores")
        if values:
            found["value"] = _asking(*values[0])
        elif (owner := self._owner("get_value")) is not None:
            found["value"] = _calling(owner, owner.get_value)
        if scores:
            found["q" if self._is_q(scores, bool(found)) else "policy"] = _asking(*scores[0])
        return found

    def _with(self, role: str) -> list[tuple[Any, int]]:
        """Those that learn come first: a target network never gets a gradient."""
        fits = [
            (module, place) for module, heads in self.seen.values() for place, name in heads if name == role
        ]
        return sorted(fits, key=lambda fit: not any(p.grad is not None for p in fit[0].parameters()))

    def _owner(self, method: str) -> Any:
        return next((module for module in self.made if callable(getattr(module, method, None))), None)

    def _is_q(self, scores: list[tuple[Any, int]], has_value: bool) -> bool:
        """By name, or by a copy beside it that never learns."""
        names = [type(module).__name__.lower() for module, _ in scores]
        owners = [type(module).__name__.lower() for module in self.made]
        if any(name.startswith("q") or "dqn" in name or "dueling" in name for name in names + owners):
            return True
        learns = [any(p.grad is not None for p in module.parameters()) for module, _ in scores]
        return not has_value and len(scores) > 1 and not all(learns)


def _heads(out: Any, actions: int) -> tuple[tuple[int, str], ...]:
    """Where in the answer a value stands, and where one number an action."""
    parts = out if isinstance(out, tuple) else (out,)
    heads = []
    for place, part in enumerate(parts):
        part = getattr(part, "logits", part)
        if hasattr(part, "shape") and part.ndim >= 1:
            role = {1: "value", actions: "scores"}.get(int(part.shape[-1]))
            if role is not None:
                heads.append((place, role))
    return tuple(heads)


def _asking(module: Any, place: int) -> Callable[[Any], Any]:
    def answer(part: Any) -> Any:
        found = part[place] if isinstance(part, tuple) else part
        return getattr(found, "logits", found)

    return _calling(module, lambda shown: answer(module(shown)))


def _calling(module: Any, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Ask a network politely: no gradients, evaluation mode, everything as it was afterwards."""

    def asked(obs: Any) -> Any:
        import numpy as np
        import torch

        modes = [(part, part.training) for part in module.modules()]
        module.eval()
        try:
            with torch.no_grad():
                return ask(torch.as_tensor(np.asarray(obs, np.float32)[None])).reshape(-1)
        finally:
            for part, mode in modes:
                part.training = mode

    return asked


def _scout(plan: Plan, code: Coding) -> Scout | None:
    """Watches every network of the script, if it uses torch at all."""
    if "torch" not in Path(plan.script).read_text("utf-8", errors="replace"):
        return None
    import torch

    width = int(code.observation_space.shape[-1])
    scout = Scout(width, int(getattr(code.action_space, "n", -1)))
    torch.nn.modules.module.register_module_forward_hook(scout.hook)
    original = torch.nn.Module.__init__

    def noted(self: Any, *words: Any, **named: Any) -> None:
        original(self, *words, **named)
        if type(self).__module__ == "__main__":
            scout.made.append(self)

    torch.nn.Module.__init__ = noted  # type: ignore[method-assign]
    return scout


def reading_from(entry: dict[str, Any]) -> Reading:
    """The other way: what `asdict` wrote."""
    q = entry["q"]
    return Reading(
        tuple(entry["values"]) if entry["values"] is not None else None,
        tuple((row[0], row[1]) for row in q) if q is not None else None,
        tuple(entry["policy"]) if entry["policy"] is not None else None,
        tuple(entry["acted"]),
        tuple(entry["troubles"]),
    )


if __name__ == "__main__":
    written = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    run(Plan(**{**written, "arguments": tuple(written["arguments"])}))
