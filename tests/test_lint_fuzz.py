"""Foreign code through the whole linter, every rule asked: nothing crashes, nothing hangs.

How long the search goes on is a matter of patience: `SLEUTH_FUZZ_SECONDS=600 pytest tests/test_lint_fuzz.py`
goes through all of the standard library, the time below through a sample of it, the same in every run.
"""

import os
import random
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from sleuth.lint import Selection, lint_source
from sleuth.source.parsed_file import Project, Source, UnreadableSource, decode, parse_source

SECONDS = float(os.environ.get("SLEUTH_FUZZ_SECONDS", "4"))  # of processor time, a test
LEAST = 25  # files, however slow the machine
SLOWEST = 20.0  # seconds of processor time one file may take; the slowest of them takes a tenth of it
FILES = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
CAUSES = Selection(notes=True).causes()
# The words that rules wait for are put in, or most would not be asked.
WORDS = (
    "\n# torch loss backward " + " ".join(word for cause in CAUSES.values() for word in cause.needs) + "\n"
)


def texts(seed: int) -> Iterator[tuple[Path, str]]:
    """Files of the standard library and its test suite in an order of their own, until the time is up."""
    started, rng = time.process_time(), random.Random(seed)
    for count, path in enumerate(rng.sample(FILES, len(FILES))):
        if count >= LEAST and time.process_time() - started > SECONDS:
            return
        try:
            yield path, decode(str(path), path.read_bytes())
        except UnreadableSource:
            continue  # the test suite holds files that are wrong on purpose


def judge(path: Path, text: str) -> bool:
    """Whether the text could be read; then every rule was asked about it."""
    try:
        source: Source = parse_source(str(path), text + WORDS, repair=True)
    except UnreadableSource:
        return False
    started = time.process_time()
    lint_source(source, Selection(notes=True), CAUSES, Project())
    assert time.process_time() - started < SLOWEST, path
    return True


def test_the_standard_library_is_linted_without_a_crash() -> None:
    assert sum(judge(path, text) for path, text in texts(seed=1)) >= LEAST // 2


def test_mutated_files_are_linted_without_a_crash() -> None:
    rng = random.Random(2)
    assert sum(judge(path, mutated(text, rng)) for path, text in texts(seed=2)) >= LEAST // 2


def mutated(text: str, rng: random.Random) -> str:
    """Lines dropped, doubled, moved, indented and cut."""
    lines = text.splitlines() or [""]
    for _ in range(rng.randint(1, 8)):
        place = rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                lines[place] = ""
            case 1:
                lines.insert(place, rng.choice(lines))
            case 2:
                lines[place] = lines[place][: rng.randint(0, len(lines[place]))]
            case 3:
                lines[place] = " " * rng.randint(0, 8) + lines[place].lstrip()
            case 4:
                other = rng.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
    return "\n".join(lines)
