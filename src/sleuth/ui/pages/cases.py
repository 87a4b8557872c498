"""Cases: the board as bars, what was observed on the way, tests with their price, the pre-flight list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sleuth import catalog
from sleuth.archive import code
from sleuth.diagnosis import ledger as ledgers
from sleuth.diagnosis.ledger import Ledger
from sleuth.diagnosis.preflight import expected_failures
from sleuth.errors import SleuthError
from sleuth.experiments import Experiment
from sleuth.judge.board import gain
from sleuth.show.charts import Chart, Level
from sleuth.ui import facts
from sleuth.ui.pages.answering import answer, back, form, homes

SHOWN = 12  # hypotheses with a bar; the others share one line
MOST_CASES = 200  # in the list, newest first
MOST_STEPS = 60  # of the path that are replayed
LEADERS = 5  # hypotheses whose way is drawn
LIKELY_FAILURES = 10


@dataclass(frozen=True)
class Known:
    """A case as the list shows it."""

    home: int
    name: str
    title: str
    modified: float
    observed: int
    leader: str
    credence: float
    verdict: str
    problem: str = ""


@dataclass(frozen=True)
class Hypothesis:
    name: str
    credence: float
    falsifier: str
    known: bool  # a cause of the catalog, with a page


@dataclass(frozen=True)
class Test:
    experiment: Experiment
    bits: float
    answer: str
    note: str


@dataclass(frozen=True)
class Step:
    """One line of the ledger, and who leads after it."""

    text: str
    leader: str
    credence: float
    at: float


def cases(request: Request) -> Response:
    found = [known for home, path in homes(request).numbered() for known in _listed(home, path)]
    found.sort(key=lambda known: -known.modified)
    return answer(request, "cases.html", cases=found[:MOST_CASES])


def case(request: Request) -> Response:
    held = _ledger(request)
    home = request.path_params["home"]
    try:
        status = ledgers.status(held)
        steps = list(_path(held))
    except Exception as error:  # a ledger from elsewhere may hold what no board can weigh
        told = f"The ledger {held.path.name} cannot be weighed ({type(error).__name__}: {error})."
        return answer(request, "message.html", title=held.title, told=told)
    board = sorted(status.board.items(), key=lambda entry: -entry[1])
    return answer(
        request,
        "case.html",
        home=home,
        name=held.path.stem,
        title=held.title,
        shown=list(_hypotheses(held, board[:SHOWN])),
        others=sum(share for _, share in board[SHOWN:]),
        count=len(board),
        tests=_tests(held, status.board),
        next=status.next_test,
        bits=status.bits,
        steps=steps,
        way=_way(held, [name for name, _ in board[:LEADERS]]),
        verdict=next(iter(reversed(held.of("verdict"))), None),
        runs=[str(line.get("run")) for line in held.of("run") if line.get("run")],
        answers=ledgers.ANSWERS,
    )


async def observe(request: Request) -> Response:
    """An observation, as the form of the page sends it."""
    held = _ledger(request)
    sent = await form(request)
    told = {name: str(sent.get(name) or "").strip() for name in ("test", "answer", "note")}
    try:
        ledgers.observe(held, told["test"], told["answer"], told["note"][:2000])
    except (SleuthError, OSError) as error:
        return answer(request, "message.html", 400, title="Not written", told=str(error))
    return back(request, f"/case/{request.path_params['home']}/{held.path.stem}")


def preflight(request: Request) -> Response:
    """What would not surprise one to see fail, for the code of a run as it was."""
    hit = homes(request).find(request.query_params.get("run", ""))
    if hit is None:
        raise HTTPException(404, "There is no such run.")
    line = hit[1]
    script = _script(line.run.folder, line.run.meta)
    if script is None:
        raise HTTPException(404, "No script was kept with this run.")
    try:
        found = expected_failures(script, Path(line.script).name)[:LIKELY_FAILURES]
    except (SleuthError, SyntaxError, ValueError, RecursionError) as error:
        raise HTTPException(422, f"The script cannot be read: {error}") from None
    return answer(request, "preflight.html", line=line, found=found)


def _script(folder: Path, meta: Mapping[str, Any]) -> Path | None:
    """The copy of the script; nothing outside the run's folder is read."""
    name = str(facts.mapping(meta.get("code")).get("script") or "")
    return facts.opened(folder, f"{code.CODE}/{name}") if name.endswith(".py") else None


def _listed(home: int, path: Path) -> Iterator[Known]:
    folder = ledgers.folder(path)
    for file in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        if facts.opened(folder, file.name) is not None:
            yield _known(home, file)


def _known(home: int, file: Path) -> Known:
    modified = file.stat().st_mtime
    try:
        held = ledgers.read_case(file)
        board = held.board()
        leader = max(board, key=lambda name: board[name])
        verdict: Mapping[str, Any] = next(iter(reversed(held.of("verdict"))), {})
        return Known(
            home, file.stem, held.title, modified, len(held.of("observed")), leader, board[leader],
            str(verdict.get("summary") or ""),
        )  # fmt: skip
    except Exception as error:  # one damaged ledger hides no other
        return Known(
            home, file.stem, file.stem, modified, 0, "", 0.0, "", str(error)[:300] or type(error).__name__
        )


def _ledger(request: Request) -> Ledger:
    """By the names that the folder has: no other path can be asked for."""
    home, name = request.path_params["home"], request.path_params["case"]
    paths = homes(request).paths
    folder = ledgers.folder(paths[home]) if home < len(paths) else None
    known = (
        {file.stem: file for file in folder.glob("*.jsonl")} if folder is not None and folder.is_dir() else {}
    )
    if folder is None or name not in known or facts.opened(folder, known[name].name) is None:
        raise HTTPException(404, f"There is no case {name[:80]!r}.")
    try:
        return ledgers.read_case(known[name])
    except SleuthError as error:
        raise HTTPException(422, str(error)) from None


def _hypotheses(held: Ledger, board: Sequence[tuple[str, float]]) -> Iterator[Hypothesis]:
    written = {str(line.get("name")): str(line.get("refuted_by") or "") for line in held.of("hypothesis")}
    causes = catalog.causes()
    for name, share in board:
        known = name in causes
        falsifier = written.get(name) or (
            catalog.find(name).page.tells.get("refuted by", "") if known else ""
        )
        yield Hypothesis(name, share, falsifier, known)


def _tests(held: Ledger, board: Mapping[str, float]) -> list[Test]:
    """Those to make first: most bits for their cost; then those that were answered."""
    last = {str(line.get("test")): line for line in held.of("observed")}
    made = []
    for name, experiment in held.tests().items():
        seen = last.get(name, {})
        reply = str(seen.get("answer") or "")
        bits = 0.0 if reply in ("yes", "no") else gain(board, experiment)
        made.append(Test(experiment, bits, reply, str(seen.get("note") or "")))
    return sorted(
        made, key=lambda test: (test.answer in ("yes", "no"), -test.bits / max(test.experiment.cost, 1e-9))
    )


def _path(held: Ledger) -> Iterator[Step]:
    """Line by line, replayed: what was seen, and who led from then on."""
    for place, line in _turns(held):
        board = Ledger(held.path, held.lines[: place + 1]).board()
        leader = max(board, key=lambda name: board[name])
        at = line.get("at")
        yield Step(_told(line), leader, board[leader], float(at) if isinstance(at, (int, float)) else 0.0)


def _turns(held: Ledger) -> list[tuple[int, Mapping[str, Any]]]:
    telling = [
        (place, line) for place, line in enumerate(held.lines) if line.get("kind") in ("observed", "clue")
    ]
    return telling[-MOST_STEPS:]


def _told(line: Mapping[str, Any]) -> str:
    if line.get("kind") == "clue":
        strength = line.get("strength")
        return (
            f"{line.get('technique')} points at {line.get('cause')} (strength {strength:.2f})"
            if isinstance(strength, (int, float))
            else f"{line.get('technique')} points at {line.get('cause')}"
        )
    note = f": {line['note']}" if line.get("note") else ""
    return f"{line.get('test')} says {line.get('answer')}{note}"


def _way(held: Ledger, names: Sequence[str]) -> Chart | None:
    """How the credences moved as observations came in."""
    turns = _turns(held)
    if not turns:
        return None
    boards = [Ledger(held.path, held.lines[: turns[0][0]]).board()]
    boards += [Ledger(held.path, held.lines[: place + 1]).board() for place, _ in turns]
    steps = list(range(len(boards)))
    lines = {}
    for name in names:
        values = [board.get(name, 0.0) for board in boards]
        lines[name] = Level(steps, values, values, values, 0, len(values))
    return Chart("Credence after each observation", lines, unit="observation", shares=True)
