"""Argument maps: speed beside the official parser, growth with size, and ten thousand damaged maps."""

import json
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sleuth.evidence.check import check_map
from sleuth.evidence.credence import weigh
from sleuth.evidence.folklore import PATH
from sleuth.evidence.lines import page_rows
from sleuth.evidence.reader import read_map
from sleuth.evidence.structure import structure

ROUNDS = 5
LARGER = 100
MUTATIONS = 10_000
ROOT = Path(__file__).resolve().parent.parent
OFFICIAL = ROOT / "scripts" / "argdown.js"
SCRAPED = ROOT.parent / "shared" / "seeds" / "000_bb78429d0dac2304.txt"  # a real map, where it is at hand

_SIGNS = "[]<>(){}+-_>#:/*\"'=|\\ \n.1a"


@dataclass(frozen=True)
class Speed:
    """Seconds of processor time, best of several turns."""

    lines: int
    read: float
    checked: float
    read_large: float
    official: float | None
    official_large: float | None

    @property
    def growth(self) -> float:
        """Time of a map 100 times the size, per line, against the small one's: 1 is linear."""
        return self.read_large / LARGER / self.read


@dataclass(frozen=True)
class Fuzzed:
    maps: int
    crashes: int
    silent: tuple[str, ...]  # mutations that lost a statement without a word


def sample() -> str:
    """A map of realistic size: Sleuth's own."""
    return PATH.read_text("utf-8")


def real() -> str | None:
    """A real map of 586 lines, as the official parser needs it; None where it is not at hand."""
    if not SCRAPED.is_file():
        return None
    return reindented([row.text for row in page_rows(SCRAPED.read_text("utf-8"))])


def reindented(rows: list[str]) -> str:
    """Give back the indentation that a code-hosting page swallowed: to the official parser it is syntax."""
    result, inside, fences = [], False, 0
    for row in rows:
        fences += row.startswith("===")
        if re.match(r"[-+]>? [\[<]|mode:", row):
            row = f"  {row}"
        elif re.match(r"\(\d+\)", row):
            inside = True
        elif re.match(r"#+ |<", row):
            inside = False
        elif row and not row.startswith(("----", "//")) and (inside or (fences > 1 and row[0] not in "[=")):
            row = f"    {row}"
        result.append(row)
    return "\n".join(result) + "\n"


def quote_growth(few: int = 28) -> float:
    """Time to check a quote among 100 times as many, against the time among few: 1 is linear."""
    with TemporaryDirectory() as folder:
        small, large = (_check_seconds(Path(folder), count) / count for count in (few, LARGER * few))
    return large / small


def _check_seconds(folder: Path, count: int) -> float:
    """A map of made-up quotes, every second one with a silent gap, against a source of 2,000 words a file."""
    chance = random.Random(0)
    vocabulary = [f"word{number}" for number in range(400)]
    lines = []
    (folder / "evidence").mkdir(exist_ok=True)
    for number in range(count):
        words = chance.choices(vocabulary, k=2000)
        if number % 10 == 0:
            source = "\n".join(" ".join(words[at : at + 12]) for at in range(0, len(words), 12))
            name = f"evidence/{count}-{number}.md"
            (folder / name).write_text(source, "utf-8")
            held = words
        start = chance.randrange(1900)
        quote = held[start : start + 20] + held[start + 20 + 5 * (number % 2) : start + 60]
        lines.append(f"[S{number}]: x\n[evidence]({name}#L1-L170)\n> {' '.join(quote)}\n")
    path = folder / f"{count}.argdown"
    path.write_text("\n".join(lines), "utf-8")
    found = read_map(path.read_text("utf-8"), str(path))
    return _best(lambda: check_map(found), 1)


def pieces(text: str, rules: int = 3) -> list[str]:
    """Small maps cut from a large one: its head and a few arguments each, so that damage hits."""
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return [head + "".join(parts[at : at + rules]) for at in range(0, len(parts), rules)]


def enlarged(text: str, times: int) -> str:
    """Copies of a map in one file, every title made unique."""
    body = re.sub(r"\A===\n.*?\n===\n", "", text, flags=re.DOTALL)

    def copy(number: int) -> str:
        renamed = re.sub(r"\[([^\]\n]+)\](?!\()", rf"[\1 {number}]", body)
        return re.sub(r"^(\s*[-+]?\s*)<([^>\n]+)>", rf"\1<\2 {number}>", renamed, flags=re.MULTILINE)

    return "\n".join(copy(number) for number in range(times))


def speed(text: str | None = None) -> Speed:
    small = text or sample()
    large = enlarged(small, LARGER)
    read, checked = _best(lambda: read_map(small)), _best(lambda: check_map(read_map(small)))
    read_large = _best(lambda: read_map(large), 2)
    return Speed(
        small.count("\n"), read, checked, read_large, official_seconds(small), official_seconds(large, 1)
    )


def _best(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        action()
        best = min(best, time.process_time() - started)
    return best


def official(text: str, rounds: int = 1) -> dict[str, object] | None:
    """What @argdown/core makes of a map; None where node or the package is not installed."""
    node = shutil.which("node")
    if node is None:
        return None
    done = subprocess.run(
        [node, str(OFFICIAL), str(rounds)], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return None
    result: dict[str, object] = json.loads(done.stdout)
    return result


def official_seconds(text: str, rounds: int = ROUNDS) -> float | None:
    result = official(text, rounds)
    return None if result is None else float(str(result["seconds"]))


def fuzz(texts: list[str], count: int = MUTATIONS, seed: int = 0) -> Fuzzed:
    """Damage valid maps and see that reading, checking and weighing survive, and that no loss goes unsaid."""
    chance = random.Random(seed)
    crashes, silent = 0, []
    originals = [(text, read_map(text)) for text in texts]
    originals = [(text, found) for text, found in originals if not (found.problems or structure(found))]
    for _ in range(count):
        text, original = chance.choice(originals)
        kind, damaged = mutated(text, chance)
        try:
            found = read_map(damaged)
            said = found.problems or structure(found)
            weigh(found)
        except Exception:
            crashes += 1
            silent.append(f"crash: {kind}")
            continue
        if not said and lost(original.statements, found.statements, damaged, kind):
            silent.append(kind)
    return Fuzzed(count, crashes, tuple(silent))


def lost(before: object, after: object, text: str, kind: str) -> bool:
    """Whether a statement is gone that the damaged text still names (for damaged letters: gone at all)."""
    old, new = set(before), set(after)  # type: ignore[call-overload]
    named = {title for title in old - new if f"[{title}]" in text}
    return bool(named) or (kind in LETTERS and len(new) < len(old))


def mutated(text: str, chance: random.Random) -> tuple[str, str]:
    """One random damage: its name, and the text that results."""
    kind = chance.choice((*LETTERS, *LINES))
    return kind, (LETTERS | LINES)[kind](text, chance)


def _delete(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + text[at + 1 :]


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + chance.choice(_SIGNS) + text[at:]


def _replace(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + chance.choice(_SIGNS) + text[at + 1 :]


def _swap(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) - 1)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _join(text: str, chance: random.Random) -> str:
    places = [match.start() for match in re.finditer("\n", text)]
    at = chance.choice(places)
    return text[:at] + text[at + 1 :]


def _cut_out(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + text[at + chance.randrange(1, 40) :]


def _truncate(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(1, len(text))]


def _drop_line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def _double_line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    return "\n".join([*lines[:at], lines[at], *lines[at:]])


def _swap_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


Mutation = Callable[[str, random.Random], str]
LETTERS: dict[str, Mutation] = {
    "delete": _delete,
    "insert": _insert,
    "replace": _replace,
    "swap": _swap,
    "join": _join,
}
LINES: dict[str, Mutation] = {
    "cut out": _cut_out,
    "truncate": _truncate,
    "drop line": _drop_line,
    "double line": _double_line,
    "swap lines": _swap_lines,
}


def rows() -> Iterator[tuple[str, str, str]]:
    for name, text in (("own map", sample()), ("real map", real())):
        if text is not None:
            yield from speed_rows(name, speed(text))
    yield "evidence", f"time a quote among {LARGER} times as many, against few", f"{quote_growth():.2f}×"
    fuzzed = fuzz(pieces(sample()))
    yield "evidence", f"crashes on {fuzzed.maps:,} damaged maps", str(fuzzed.crashes)
    yield "evidence", "statements lost there without a word", str(len(fuzzed.silent))


def speed_rows(name: str, result: Speed) -> Iterator[tuple[str, str, str]]:
    yield "evidence", f"{name}: reading {result.lines} lines", f"{result.read * 1e3:.0f} ms"
    yield "evidence", f"{name}: reading and checking", f"{result.checked * 1e3:.0f} ms"
    yield "evidence", f"{name}: time a line at {LARGER} times the size, against once", f"{result.growth:.2f}×"
    for size, own, other in (
        ("once", result.read, result.official),
        (f"{LARGER} times", result.read_large, result.official_large),
    ):
        ratio = "node or @argdown/core not installed" if other is None else f"{own / other:.2f}×"
        yield "evidence", f"{name}: reading it {size}, against the official parser", ratio
