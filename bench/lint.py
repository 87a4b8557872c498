"""Lint measured: per cause on the zoo and the fixtures, false alarms on real code, speed beside its peers."""

import ast
import compileall
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import corpus, detection, snippets, zoo
from sleuth.collector import collector_off
from sleuth.finding import Finding
from sleuth.judge.strength import alone
from sleuth.lint import Selection, lint, lint_source, lintable
from sleuth.lint.cache import Cache
from sleuth.source.parsed_file import Project, Source, UnreadableSource, fingerprint, read_source

SOURCES = zoo.ROOT / "src" / "sleuth"
FIXTURES = zoo.ROOT / "tests" / "causes"
REVIEWED = Path(__file__).parent / "reviewed.toml"
SPEED_LINES = 30_000  # enough to measure, little enough for the slowest peer's turn
ROUNDS = 3
PAIRS = 15
UNIT = 20_000  # false alarms are counted per so many lines

Row = tuple[str, str, str]


def rows() -> Iterator[Row]:
    yield from zoo_rows()
    yield from fixture_rows()
    yield from snippet_rows()
    yield from alarm_rows()
    yield from speed_rows()


def zoo_rows() -> Iterator[Row]:
    result = detection.score(lambda path: map(alone, lint_source(read_source(path))), lintable().__contains__)
    name = "lint on the zoo"
    yield name, "broken scripts whose cause has a rule", f"{result.reachable} of {result.broken}"
    yield name, "found, of those", _of(result.found, result.reachable)
    yield name, "named first, of those found", _of(result.first, result.found)
    yield name, f"line hit (±{zoo.LINE_SLACK}), of those found", _of(result.line, result.found)
    yield name, "false alarms on repaired and healthy scripts", _of(len(result.false_alarms), result.quiet)
    for item in (*result.missed, *result.false_alarms):
        print(f"  look: {item}", file=sys.stderr)


def snippet_rows() -> Iterator[Row]:
    for name in snippets.sets():
        result = snippets.tally(name)
        label = f"lint on snippets, {name} set"
        yield label, "bugs found", _of(result.found, result.bad)
        yield label, f"line hit (±{zoo.LINE_SLACK}), of those found", _of(result.line, result.found)
        yield label, "precision of errors and warnings", f"{result.precision:.0%}"
        yield (
            label,
            "right snippets accused",
            _of(len({a.partition(":")[0] for a in result.accused}), result.good),
        )
        for item in (*result.wrong, *result.accused):
            print(f"  look: {item}", file=sys.stderr)


@dataclass(frozen=True)
class Judged:
    """Marked lines found and missed, and lines accused without a mark, over a cause's fixtures."""

    hit: int
    missed: int
    wrong: int


def fixture_rows() -> Iterator[Row]:
    judged = {slug: _judge(slug) for slug in sorted(lintable())}
    hit = sum(entry.hit for entry in judged.values())
    missed = sum(entry.missed for entry in judged.values())
    wrong = sum(entry.wrong for entry in judged.values())
    yield "lint on the fixtures", "rules", str(len(judged))
    yield "lint on the fixtures", "recall", _of(hit, hit + missed)
    yield "lint on the fixtures", "precision", _of(hit, hit + wrong)
    for slug, entry in judged.items():
        if entry.missed or entry.wrong:
            print(f"  look: {slug}: {entry}", file=sys.stderr)


def _judge(slug: str) -> Judged:
    tally: Counter[str] = Counter()
    for path in FIXTURES.glob(f"*/{slug}/*.py"):
        source = read_source(path)
        marked = {n for n, line in enumerate(source.lines, 1) if line.rstrip().endswith(f"# {slug}")}
        found = lint_source(source, Selection(select=(slug,), notes=True))
        accused = {finding.where.line for finding in found if finding.where and finding.where.line}
        tally.update(hit=len(marked & accused), missed=len(marked - accused), wrong=len(accused - marked))
    return Judged(tally["hit"], tally["missed"], tally["wrong"])


def alarm_rows() -> Iterator[Row]:
    """Every error and warning on real packages; those read and found true stand in `reviewed.toml`."""
    folders = corpus.unpacked()
    if not folders:
        yield "lint on real code", "false errors and warnings", "not measured: no packages to be had"
        return
    result = lint(folders)
    lines = sum(_lines(path) for folder in folders for path in folder.rglob("*.py"))
    reviewed = tomllib.loads(REVIEWED.read_text("utf-8")) if REVIEWED.exists() else {}
    false = [
        finding for finding in result.findings if reviewed.get(_key(finding), {}).get("verdict") != "true"
    ]
    yield "lint on real code", "packages, lines", f"{len(folders)}, {lines:,}"
    yield (
        "lint on real code",
        "errors and warnings, read and found true",
        str(len(result.findings) - len(false)),
    )
    yield (
        "lint on real code",
        f"false (or unread), per {UNIT:,} lines",
        f"{len(false)}, {len(false) / lines * UNIT:.2f}",
    )
    for finding in false:
        print(f"  look: {_key(finding)}: {finding.message}", file=sys.stderr)


def _key(finding: Finding) -> str:
    where = finding.where
    path = Path(where.path or "").relative_to(corpus.FOLDER) if where else Path()
    return f"{path}:{where.line if where else 0} {finding.cause}"


def _lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except OSError:
        return 0


def speed_rows() -> Iterator[Row]:
    name = "lint speed"
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        sources = _copy_tree(tree)
        lines = sum(len(source.lines) for source in sources)
        with collector_off():  # as the linter itself works; the floor gains by it, too
            share = _ratio(lambda: _floor(sources), lambda: _lint(sources))
        yield (
            name,
            "share of parse-and-walk's lines a second",
            f"{share:.2f} ({lines:,} lines)",
        )
        for peer, ratio in _peers(tree):
            yield name, f"times as fast as {peer}, whole tree, one process", f"{ratio:.1f}"
        # Installers compile what they install; a checkout whose files just changed would pay for it here.
        compileall.compile_dir(SOURCES, quiet=1)
        small = tree / "small.py"
        shutil.copy(zoo.case("loss/double-softmax").fixed, small)
        cold = _ratio(lambda: _sleuth("--no-cache", "-q", str(small)), lambda: _walk_alone(small))
        yield name, "one small file, cold, against parse-and-walk", f"{cold:.1f}×"
        yield name, "a tree again, with what is known from last time", f"{_warm_cache(tree):.0f}× faster"
        yield name, "a larger tree on all cores against one", f"{_cores():.2f}× faster"
        yield name, "peak memory, tree of twice the size", f"{_memory_growth(tree):.2f}×"


def _floor(sources: list[Source]) -> None:
    for source in sources:
        for _ in ast.walk(ast.parse(source.text)):
            pass


def _lint(sources: list[Source]) -> None:
    """As the linter itself does it: a file that another one imports is parsed once for both."""
    causes = Selection().causes()
    project = Project()
    for source in sources:
        digest = fingerprint(source.text.encode())
        parsed = project.known(Path(source.path), digest)
        if parsed is None:
            parsed = Source(source.path, source.text, ast.parse(source.text))
        project.add(parsed, digest)
        lint_source(parsed, None, causes, project)


def best(actions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Least processor time of several turns each, in turn, so that a busy moment hits all alike."""
    least = dict.fromkeys(actions, float("inf"))
    for _ in range(ROUNDS):
        for name, action in actions.items():
            started = _cpu()
            action()
            least[name] = min(least[name], _cpu() - started)
    return least


def _ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """Processor time of one over the other, turn about: the median, as machines change pace between turns."""
    ratios = []
    for _ in range(PAIRS):
        marks = [_cpu()]
        for action in (one, other):
            action()
            marks.append(_cpu())
        ratios.append((marks[1] - marks[0]) / (marks[2] - marks[1]))
    return statistics.median(ratios)


def _cpu() -> float:
    """Processor seconds of this process and the ones it ran."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _copy_tree(folder: Path) -> list[Source]:
    """Files of torch that define modules, losses and optimizers, as a tree of their own."""
    import torch

    root = Path(torch.__file__).parent
    copied: list[Source] = []
    count = 0
    for path in [*sorted((root / "nn").rglob("*.py")), *sorted((root / "optim").rglob("*.py"))]:
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        try:
            copied.append(read_source(target))
        except UnreadableSource:
            continue
        count += len(copied[-1].lines)
        if count > SPEED_LINES:
            break
    return copied


PEERS = {
    "flake8": ["flake8", "--jobs", "1"],
    "pylint": ["pylint", "--jobs", "1", "--score", "n"],
    "torchfix": ["torchfix"],
    "ruff": ["ruff", "check", "--no-cache", "--isolated", "--select", "ALL"],
}


def _peers(tree: Path) -> Iterator[tuple[str, float]]:
    ours = _seconds_of([sys.executable, "-m", "sleuth", "lint", "--no-cache", "--jobs", "1", "-q", str(tree)])
    for name, command in PEERS.items():
        if (found := shutil.which(command[0], path=_path())) is not None:
            yield name, _seconds_of([found, *command[1:], str(tree)]) / ours


def _path() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def _seconds_of(command: list[str]) -> float:
    started = _cpu()
    subprocess.run(command, check=False, capture_output=True)
    return _cpu() - started


def _walk_alone(path: Path) -> None:
    code = f"import ast\nfor _ in ast.walk(ast.parse(open({str(path)!r}).read())): pass"
    subprocess.run([sys.executable, "-c", code], check=True)


def _sleuth(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "sleuth", "lint", *words], check=False, capture_output=True)


def _warm_cache(tree: Path) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        cache = Cache(Path(scratch))
        times = []
        for _ in range(2):
            started = time.process_time()
            lint([tree], cache=cache, jobs=1)
            times.append(time.process_time() - started)
    return times[0] / times[1]


def _cores() -> float:
    """Wall time, as that is what cores buy; on a busy machine this understates."""
    import torch

    tree = Path(torch.__file__).parent / "distributed"
    times = {}
    for jobs in (1, os.cpu_count() or 1):
        started = time.perf_counter()
        _sleuth("--no-cache", "--jobs", str(jobs), "-q", str(tree))
        times[jobs] = time.perf_counter() - started
    return times[1] / times[max(times)]


def _memory_growth(tree: Path) -> float:
    """Peak memory on the tree and a copy of it, against the tree alone."""
    code = (
        "import resource, sys, pathlib; from sleuth.lint import lint; "
        "lint([pathlib.Path(p) for p in sys.argv[1:]], jobs=1); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    with tempfile.TemporaryDirectory() as scratch:
        twin = shutil.copytree(tree, Path(scratch) / "twin")
        peaks = [
            int(subprocess.run([sys.executable, "-c", code, *paths], check=True, capture_output=True).stdout)
            for paths in ([str(tree)], [str(tree), str(twin)])
        ]
    return peaks[1] / peaks[0]


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")
