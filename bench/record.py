"""`python -m bench record [SET ...]`: run every script once and keep what was seen of it.

What was recorded from the same text by the same version is not run again, so a broken-off recording goes on
where it was. `--sample N --seed S` draws scripts by lot; `--again` runs them all the same.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench import kept
from bench.kept import Kept, Script
from bench.zoo import ROOT, SETS

BUDGET = 60.0
PATIENCE = 4.0  # budgets, after which a script that does not come back is given up
SCRATCH = ROOT / ".bench" / "evidence"  # one file a script, until a set is packed


def main(arguments: Sequence[str]) -> int:
    asked = _parser().parse_args(arguments)
    if asked.one:
        return _one(asked.one, asked.budget)
    version = version_of_sleuth()
    for name in asked.sets or list(SETS):
        wanted = _drawn(list(kept.scripts(name)), asked)
        for number, script in enumerate(wanted, 1):
            if asked.again or not _stands(script, version):
                print(f"  {number}/{len(wanted)} {script.name}", file=sys.stderr, flush=True)
                _in_a_process_of_its_own(script, asked.budget)
        packed(name)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench record", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], metavar="SET", help=", ".join(SETS))
    parser.add_argument("--sample", type=int, help="so many scripts of each set, drawn by lot")
    parser.add_argument("--seed", type=int, default=0, help="of the lot")
    parser.add_argument("--only", default="", help="scripts whose name holds this")
    parser.add_argument("--again", action="store_true", help="also what was recorded before")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for a script")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser


def _drawn(scripts: list[Script], asked: argparse.Namespace) -> list[Script]:
    scripts = [script for script in scripts if asked.only in script.name]
    if asked.sample is None or asked.sample >= len(scripts):
        return scripts
    return random.Random(asked.seed).sample(scripts, asked.sample)


def packed(name: str) -> None:
    """Into the file of the set: what was recorded now, and before what was not."""
    known = kept.read(name)
    for script in kept.scripts(name):
        if (file := scratch_of(script.name)).is_file():
            new = kept.from_line(file.read_text("utf-8"))
            before = known.get(script.name)
            first = before.first_sight if before is not None else ""
            known[script.name] = Kept(**{**vars(new), "first_sight": first or new.first_sight})
    kept.write(name, known.values())


def version_of_sleuth() -> str:
    """Digest of the sources: the same code gives the same record, whatever it is called."""
    text = b"".join(path.read_bytes() for path in sorted((ROOT / "src").rglob("*.py")))
    return hashlib.sha256(text).hexdigest()[:12]


def _stands(script: Script, version: str) -> bool:
    file = scratch_of(script.name)
    if not file.is_file():
        return False
    told = json.loads(file.read_text("utf-8"))
    return bool(told.get("version") == version and told.get("script") == kept.digest(script))


def scratch_of(name: str) -> Path:
    return SCRATCH / f"{name.replace('/', '_')}.json"


def _in_a_process_of_its_own(script: Script, budget: float) -> None:
    """So that whatever one script does to this process, the others are recorded."""
    command = [sys.executable, "-m", "bench", "record", "--one", script.name, "--budget", str(budget)]
    try:
        subprocess.run(command, cwd=ROOT, timeout=PATIENCE * budget, check=True, capture_output=True)
    except subprocess.SubprocessError as error:
        told = getattr(error, "stderr", None) or b""
        print(f"  not recorded: {script.name}: {error} {told.decode()[-300:]}", file=sys.stderr)


def _one(name: str, budget: float) -> int:
    from sleuth.diagnosis.investigate import investigate
    from sleuth.diagnosis.request import Request

    script = next(entry for entry in kept.scripts(name.partition("/")[0]) if entry.name == name)
    load = os.getloadavg()[0]
    began = time.monotonic()
    case = investigate(Request(script.path, budget=budget, keep=False))
    entry = Kept(
        name,
        case.observed(),
        kept.digest(script),
        version_of_sleuth(),
        round(time.monotonic() - began, 1),
        budget,
        round(load, 1),
    )
    file = scratch_of(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(kept.to_line(entry), "utf-8")
    return 0
