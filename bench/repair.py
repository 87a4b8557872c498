"""A repaired twin is its broken script and a patch, so that they differ by the repair and nothing else.

`python -m bench repair FOLDER ...` writes the `repair.patch` of new cases from the `fixed.py` (or the folder
`fixed`) beside what is broken, and takes that away: from then on the twin is made when it is asked for.
"""

import difflib
import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sleuth.errors import SleuthError
from sleuth.files import write_whole

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".bench" / "zoo"  # the twins that were asked for; `make clean` forgets them
PATCH = "repair.patch"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def main(arguments: Sequence[str]) -> int:
    for folder in map(Path, arguments):
        before, after = halves(folder)
        write_whole(folder / PATCH, patch(before, after))
        (folder / "fixed.py").unlink(missing_ok=True)
        shutil.rmtree(folder / "fixed", ignore_errors=True)
        print(folder / PATCH)
    return 0


def halves(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The broken script and the repaired one that lies beside it, both under the name of the broken one."""
    files = _files(folder)
    before = {name: _text(data) for name, data in files.items() if _half(name) == "broken"}
    after = {_turned(name, "fixed", "broken"): _text(files[name]) for name in files if _half(name) == "fixed"}
    if not before or before.keys() != after.keys():
        raise SleuthError(f"{folder} does not hold the same files broken and fixed.")
    return before, after


def repaired(folder: Path) -> Path:
    """A folder that holds the repaired twin of a case, with all that lies beside it there."""
    files = twin(folder)
    told = hashlib.sha256(b"".join(name.encode() + b"\0" + files[name] + b"\0" for name in sorted(files)))
    home = CACHE / f"{folder.name}-{told.hexdigest()[:12]}"
    for name, data in files.items():
        _put(home / name, data)
    return home


def twin(folder: Path) -> dict[str, bytes]:
    """The files of the repaired twin: those of the case, the broken ones patched."""
    files = _files(folder)
    broken = {name: _text(data) for name, data in files.items() if _half(name) == "broken"}
    mended = applied((folder / PATCH).read_text("utf-8"), broken)
    beside = {name: data for name, data in files.items() if _half(name) is None and name != PATCH}
    return beside | {_turned(name, "broken", "fixed"): text.encode() for name, text in mended.items()}


def patch(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff, as `patch -p0` takes it."""
    lines: list[str] = []
    for name in sorted(before):
        lines += difflib.unified_diff(_lines(before[name]), _lines(after[name]), name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def applied(patch: str, before: Mapping[str, str]) -> dict[str, str]:
    """The files after a patch; one that does not fit to the letter is refused."""
    after = dict(before)
    for name, body in _parts(patch):
        if name not in before:
            raise SleuthError(f"The patch is for {name}, which is not there.")
        after[name] = "".join(f"{line}\n" for line in _patched(name, body, _lines(before[name])))
    return after


def _parts(patch: str) -> Iterator[tuple[str, list[str]]]:
    """For each file its name and its hunks."""
    lines = _lines(patch)
    while lines:
        if not lines[0].startswith("--- ") or not lines[1].startswith("+++ "):
            raise SleuthError(f"A patch goes on with {lines[0]!r}, which is no head of a file.")
        end = next((n for n in range(2, len(lines)) if _begins_a_file(lines, n)), len(lines))
        yield lines[1].removeprefix("+++ "), lines[2:end]
        lines = lines[end:]


def _begins_a_file(lines: Sequence[str], number: int) -> bool:
    """A head and a hunk: lines that were changed may look like the head alone."""
    here = lines[number : number + 3]
    return len(here) == 3 and here[0][:4] == "--- " and here[1][:4] == "+++ " and bool(_HUNK.match(here[2]))


def _patched(name: str, body: Sequence[str], before: Sequence[str]) -> list[str]:
    after: list[str] = []
    at = 0  # how much of the file before is dealt with
    for line in body:
        if hunk := _HUNK.match(line):
            begin = int(hunk[1]) - (hunk[2] != "0")  # an empty range names the line before it
            after += before[at:begin]
            at = begin
        elif line[:1] == "+":
            after.append(line[1:])
        elif line[:1] in ("-", " ") and before[at : at + 1] == [line[1:]]:
            after += [line[1:]] if line[0] == " " else []
            at += 1
        else:
            raise SleuthError(f"The patch does not fit line {at + 1} of {name}: {line!r}.")
    return after + list(before[at:])


def _files(folder: Path) -> dict[str, bytes]:
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _half(name: str) -> str | None:
    """Which half of a pair a file belongs to: `broken.py`, or what lies in the folder `broken`."""
    first = name.partition("/")[0].removesuffix(".py")
    return first if first in ("broken", "fixed") else None


def _turned(name: str, half: str, other: str) -> str:
    return other + name.removeprefix(half)


def _text(data: bytes) -> str:
    text = data.decode("utf-8")
    if text and (not text.endswith("\n") or "\r" in text):
        raise SleuthError("A script of the zoo ends in a newline and has no carriage returns.")
    return text


def _lines(text: str) -> list[str]:
    """Ends of lines as a patch knows them: a form feed is none."""
    return text.removesuffix("\n").split("\n") if text else []


def _put(path: Path, data: bytes) -> None:
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
