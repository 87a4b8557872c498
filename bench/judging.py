"""Judging recorded runs: which causes the records of the zoo show, and alarms on healthy ones."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import zoo
from sleuth.finding import Finding
from sleuth.record.entries import Record
from sleuth.record.json_lines import read
from sleuth.watching.judging import judge

TIME_LIMIT = 300.0  # seconds for one script, recorder included

# Runs a script as `python script.py` would, with the recorder installed first.
_RUN = """
import runpy, sys
from pathlib import Path
from sleuth.watching.install import install
record, script = sys.argv[1:3]
sys.argv = [script]
sys.path[0] = str(Path(script).parent)
recorder = install(Path(record))
try:
    runpy.run_path(script, run_name="__main__")
except BaseException as error:
    recorder.close("raised", error, 1)
else:
    recorder.close("finished")
"""


@dataclass(frozen=True)
class Score:
    """Broken scripts whose cause stands first, and alarms where there is nothing to find."""

    visible: int  # broken scripts with a cause that a run can show
    first: int
    sound: int  # repaired and healthy scripts
    alarms: tuple[str, ...]


def recorded(script: Path) -> Record:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.jsonl"
        command = [sys.executable, "-c", _RUN, str(record), str(script)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, env=environment, check=False)
        return read(record)


def alarms(record: Record) -> list[Finding]:
    return [finding for finding in judge(record).findings if finding.severity != "note"]


def score() -> Score:
    from sleuth import catalog

    seen = {slug for slug, cause in catalog.causes().items() if "watch" in cause.detectors}
    visible = first = 0
    for case in zoo.cases():
        if case.slug in seen:
            found = [finding.cause for finding in alarms(recorded(case.broken))]
            visible += 1
            first += bool(found) and found[0] in (case.slug, *case.also)
    sound = [case.fixed for case in zoo.cases()] + [script.path for script in zoo.healthy()]
    false = [f"{path.parent.name}/{path.name}: {f.cause}" for path in sound for f in alarms(recorded(path))]
    return Score(visible, first, len(sound), tuple(false))


def rows() -> Iterator[tuple[str, str, str]]:
    seen = score()
    yield "zoo, judged from its record", f"{seen.first} of {seen.visible}", "cause named first"
    yield "repaired and healthy runs", f"{len(seen.alarms)} in {seen.sound}", "false alarms"
