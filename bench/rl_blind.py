"""Agents that strangers wrote, right and broken: what `sleuth rl probe` says of each script.

`python -m bench.rl_blind [agent or agent/file ...] [--seed N] [--steps N]` prints a line for each.
"""

import argparse
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.zoo import SETS
from sleuth.rl.probing import Ladder, Request
from sleuth.rl.script import probe_script

HOME = SETS["strangers"] / "rl"
# How each script takes its world, as a user would write it after `--`.
USUAL = ("--seed", "{seed}", "--gamma", "{gamma}")
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "a2c_sync": ("--env", "{env}", *USUAL),
    "ddqn_nstep": ("--env_name", "{env}", *USUAL),
    "dqn": ("--env", "{env}", *USUAL),
    "expected_sarsa": ("{env}", *USUAL),
    "ppo_single": ("--env", "{env}", *USUAL),
    "ppo_vec": ("--env-id", "{env}", *USUAL),
    "reinforce_baseline": ("--env_name", "{env}", "--seed", "{seed}", "--discount", "{gamma}"),
    "sac": ("--env-id", "{env}", *USUAL),
}


@dataclass(frozen=True)
class Case:
    """One script, and the causes that describe its mistake: none where it is right."""

    file: str
    causes: tuple[str, ...] = ()

    @property
    def agent(self) -> str:
        return self.file.partition("/")[0]


@dataclass(frozen=True)
class Told:
    case: Case
    found: tuple[str, ...]
    results: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def place(self) -> int | None:
        """Where the first right name stands in the list."""
        return next((place for place, cause in enumerate(self.found) if cause in self.case.causes), None)


def cases(asked: Sequence[str] = ()) -> list[Case]:
    """Every right script, followed by its broken variants; `asked`: how the files must begin."""
    bugs = tomllib.loads((HOME / "bugs.toml").read_text("utf-8"))["bug"]
    broken = [Case(bug["file"], (bug["slug"], *bug["also"])) for bug in bugs]
    found = []
    for agent in ARGUMENTS:
        found += [Case(f"{agent}/correct.py"), *(case for case in broken if case.agent == agent)]
    return [case for case in found if not asked or case.file.startswith(tuple(asked))]


def told(case: Case, request: Request) -> Told:
    started = time.monotonic()
    ladder = probe_script(str(HOME / case.file), ARGUMENTS[case.agent], request)
    causes = tuple(finding.cause or "" for finding in ladder.findings)
    return Told(case, causes, _results(ladder), time.monotonic() - started)


def _results(ladder: Ladder) -> dict[str, str]:
    """Only what tells: a right agent passes everywhere."""
    kept = [rung for rung in ladder.rungs if rung.result not in ("passed", "implied")]
    return {rung.table.name: f"{rung.result} {rung.reason}".strip() for rung in kept}


def verdict(told: Told) -> str:
    if not told.case.causes:
        return "FALSE ALARM" if told.found else "silent"
    if not told.found:
        return "MISSED"
    return {None: "seen, other name", 0: "named first"}.get(told.place, "named")


def rows(asked: Sequence[str], request: Request) -> Iterator[str]:
    for case in cases(asked):
        answer = told(case, request)
        yield f"{case.file:45} {verdict(answer):17} {answer.seconds:5.0f} s  {', '.join(answer.found)}"
        yield from (f"      {name}: {what}" for name, what in answer.results.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="how the files begin that are to be tried; all of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, help="where patience ends, in steps a probe")
    asked = parser.parse_args()
    for row in rows(asked.files, Request(seed=asked.seed, steps=asked.steps)):
        print(row, flush=True)


if __name__ == "__main__":
    main()
