"""`sleuth diagnose` on the zoo: what it names, how sure it is, how long it takes, how to choose tests."""

import json
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.zoo import LINE_SLACK, ROOT, SETS, Case, cases, healthy
from sleuth.diagnosis.investigate import investigate
from sleuth.diagnosis.reporting import report
from sleuth.diagnosis.request import Request
from sleuth.experiments import Experiment, called
from sleuth.finding import Finding
from sleuth.judge.board import Answer, best_next, credences, priors
from sleuth.judge.experiments import NOTHING, OTHER, predictions
from sleuth.judge.words import WORDS, clamped, likelihood

BUDGET = 60.0
KEPT = ROOT / ".bench" / "diagnoses"  # what was measured, so that a broken-off run goes on where it was
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01))
CONFIDENT = 0.9  # a policy stops here


@dataclass(frozen=True)
class Judged:
    """One script: what was named, surest first, and what it cost in first stretches."""

    name: str
    case: Case | None  # None: nothing is wrong with it
    found: tuple[Finding, ...]
    seconds: float
    stretch: float
    answers: Mapping[str, bool | None]

    @property
    def names(self) -> list[str]:
        return [finding.cause for finding in self.found]

    @property
    def accepted(self) -> tuple[str, ...]:
        return () if self.case is None else (self.case.slug, *self.case.also)

    @property
    def first(self) -> bool:
        return bool(self.names) and self.names[0] in self.accepted

    @property
    def among_three(self) -> bool:
        return any(name in self.accepted for name in self.names[:3])

    @property
    def line(self) -> bool:
        assert self.case is not None
        lines = (self.case.line, *self.case.or_lines)
        return any(
            finding.cause in self.accepted
            and finding.where is not None
            and finding.where.line is not None
            and any(abs(finding.where.line - line) <= LINE_SLACK for line in lines)
            for finding in self.found
        )


def judged(name: str, script: Path, case: Case | None) -> Judged:
    """Diagnose a script, or recall what was measured before."""
    kept = KEPT / f"{name.replace('/', '_')}.json"
    if not kept.is_file():
        investigated = investigate(Request(script, budget=BUDGET, keep=False))
        told = report(investigated).to_dict()
        base = investigated.base
        told["stretch"] = base.seconds if base is not None else 0.0
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(told), "utf-8")
    told = json.loads(kept.read_text("utf-8"))
    loud = [Finding.from_dict(entry) for entry in told["findings"] if entry["severity"] != "note"]
    answers = {
        entry["name"]: {"yes": True, "no": False}.get(entry["answer"]) for entry in told["experiments"]
    }
    return Judged(name, case, tuple(loud), told["timing"]["total"], told["stretch"], answers)


def broken(of: str = "handmade") -> Iterator[Judged]:
    for case in cases(SETS[of]):
        yield judged(f"{of}/{case.name}/broken", case.broken, case)


def quiet(of: str = "handmade") -> Iterator[Judged]:
    for case in cases(SETS[of]):
        yield judged(f"{of}/{case.name}/fixed", case.fixed, None)
    for entry in healthy(SETS[of]):
        yield judged(f"{of}/{entry.name}", entry.path, None)


def rows() -> Iterator[tuple[str, str, str]]:
    yield from of_set("handmade")


def of_set(name: str) -> Iterator[tuple[str, str, str]]:
    bad, good = list(broken(name)), list(quiet(name))
    part = f"diagnose on {name}"
    hit = [entry for entry in bad if any(cause in entry.accepted for cause in entry.names)]
    alarms = [entry for entry in good if entry.found]
    yield part, "right cause first", _of(sum(entry.first for entry in bad), len(bad))
    yield part, "among the first three", _of(sum(e.among_three for e in bad), len(bad))
    yield part, "guilty line (±2), of those named", _of(sum(e.line for e in hit), len(hit))
    yield part, "false alarms on repaired and healthy scripts", _of(len(alarms), len(good))
    ratios = [entry.seconds / max(entry.stretch, 0.1) for entry in (*bad, *good)]
    yield part, "time to verdict, in first stretches (median)", f"{statistics.median(ratios):.1f}×"
    yield part, "longest time to verdict, in budgets", f"{max(e.seconds for e in (*bad, *good)) / BUDGET:.2f}"
    yield from calibration((*bad, *good))
    yield from _policy_rows(bad)
    for line in _misses(bad, alarms):
        print(f"  look: {line}", file=sys.stderr)


def calibration(entries: Sequence[Judged]) -> Iterator[tuple[str, str, str]]:
    yield "calibration", "Brier score of the first cause", f"{brier(entries):.3f}"
    for low, high, count, right in reliability(entries):
        said = f"{low:.0%} to {min(high, 1):.0%}"
        yield "calibration", f"said {said}, was right", f"{right} of {count}"
    fitted_on, tested_on = entries[::2], entries[1::2]
    shares = word_shares(fitted_on)
    told = ", ".join(f"{word} {share:.2f}" for word, share in shares.items())
    yield "calibration", "words fitted on one half", told
    shipped = {word: likelihood(word) for word in WORDS}
    yield (
        "calibration",
        "log loss of answers in the other half: words as shipped, as fitted",
        f"{surprise(tested_on, shipped):.3f}, {surprise(tested_on, shipped | shares):.3f}",
    )


def _policy_rows(bad: Sequence[Judged]) -> Iterator[tuple[str, str, str]]:
    matrix = {entry.case.slug: entry.answers for entry in bad if entry.case is not None and entry.answers}
    for policy, cost in policies(matrix, {}).items():
        yield "policies on recorded answers", f"{policy}: runs until the cause leads", f"{cost:.2f}"


def words_said(entries: Sequence[Judged]) -> Iterator[tuple[str, bool]]:
    """For every answer, the word that the true hypothesis had for it."""
    for entry in entries:
        for name, yes in entry.answers.items():
            if yes is None or (entry.case is None and called(name).cause):
                continue
            test = called(name)
            slug = entry.case.slug if entry.case is not None else ""
            if test.cause == slug:
                yield "always", yes
            else:
                yield predictions(slug).get(name, test.healthy) if slug else test.healthy, yes


def word_shares(entries: Sequence[Judged]) -> dict[str, float]:
    """How often yes was the answer where a word stood, drawn towards one half where it stood seldom."""
    seen: dict[str, list[bool]] = {}
    for word, yes in words_said(entries):
        seen.setdefault(word, []).append(yes)
    return {word: clamped((sum(seen[word]) + 1) / (len(seen[word]) + 2)) for word in WORDS if word in seen}


def surprise(entries: Sequence[Judged], shares: Mapping[str, float]) -> float:
    """Mean logarithmic loss of what the words predicted."""
    told = [(shares[word], yes) for word, yes in words_said(entries)]
    return (
        statistics.fmean(-math.log(share if yes else 1 - share) for share, yes in told) if told else math.nan
    )


def _misses(bad: Sequence[Judged], alarms: Sequence[Judged]) -> Iterator[str]:
    for entry in bad:
        if not entry.first:
            yield f"{entry.name}: {entry.names[:3] or 'nothing'}"
    for entry in alarms:
        yield f"{entry.name}: false alarm {entry.names}"


def brier(entries: Sequence[Judged]) -> float:
    """Mean squared distance between how sure the first finding was and whether it was right."""
    told = [(entry.found[0].credence, entry.first) for entry in entries if entry.found]
    return statistics.fmean((credence - right) ** 2 for credence, right in told) if told else math.nan


def reliability(entries: Sequence[Judged]) -> Iterator[tuple[float, float, int, int]]:
    """How often what was said with a credence was right."""
    told = [(entry.found[0].credence, entry.first) for entry in entries if entry.found]
    for low, high in BINS:
        inside = [right for credence, right in told if low <= credence < high]
        if inside:
            yield low, high, len(inside), sum(inside)


Policy = Callable[[Mapping[str, float], Sequence[Experiment]], Experiment]


def policies(matrix: Mapping[str, Mapping[str, bool | None]], costs: Mapping[str, float]) -> dict[str, float]:
    """Mean cost until the true cause leads, on recorded outcomes: cause → test → answer."""
    chosen: dict[str, Policy] = {
        "information per cost": lambda board, tests: best_next(board, tests, 1.0)[0],  # type: ignore[index]
        "cheapest first": lambda board, tests: min(tests, key=lambda test: costs.get(test.name, 1.0)),
        "random order": lambda board, tests: random.Random(len(tests)).choice(list(tests)),
    }
    return {
        name: statistics.fmean(_cost(policy, cause, outcomes, costs) for cause, outcomes in matrix.items())
        for name, policy in chosen.items()
    }


def _cost(
    policy: Policy, cause: str, outcomes: Mapping[str, bool | None], costs: Mapping[str, float]
) -> float:
    """What a policy pays until the cause stands first among causes, at most everything."""
    answers: list[Answer] = []
    left = [called(name) for name, yes in outcomes.items() if yes is not None]
    paid = 0.0
    while left:
        board = credences(priors(), [], answers)
        leader = max((h for h in board if h not in (NOTHING, OTHER)), key=lambda h: board[h])
        if leader == cause and answers:
            return paid
        test = policy(board, left)
        left.remove(test)
        paid += costs.get(test.name, 1.0)
        answers.append(Answer(test, outcomes[test.name]))
    return paid


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


def main(sets: Sequence[str]) -> None:
    """`python -m bench.diagnosis [SET ...]`: one table a set; what was measured before is recalled."""
    for name in sets or ("handmade",):
        for row in of_set(name):
            print("  ".join(row))


if __name__ == "__main__":
    main(sys.argv[1:])
