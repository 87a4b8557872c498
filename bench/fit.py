"""`python -m bench fit [--write]`: how far evidence can be trusted, fitted on all that is kept.

What a detector says is right where its cause is a fair name for the script's fault. A logistic regression
with few parameters says how often: a base for every technique and degree of telling, moved by family, and by
detector as far as there is enough to go by (ridge: what was seen seldom stays near its base). It is judged on
sets it was not fitted on, one held out at a time. `--write` keeps the table that the weighing reads.
"""

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bench import kept
from bench.kept import Script
from bench.record import version_of_sleuth
from bench.zoo import ROOT, SETS
from sleuth import catalog
from sleuth.errors import SleuthError
from sleuth.finding import FAULTS, TELLINGS, Evidence, Telling
from sleuth.judge.weigh import weigh

if TYPE_CHECKING:
    import numpy as np

TABLE = catalog.FOLDER / "strengths.toml"
LINTED = ROOT / ".bench" / "linted.json"
# Ridge, as standard deviations of what is expected of a coefficient (in logits): a base may be anything; a
# family moves it by a factor of two or so in odds, a detector by one of three.
SPREAD = {"base": 3.0, "family": 0.7, "detector": 1.1}
START = {"proven": 0.9, "likely": 0.68, "open": 0.3, "aside": 0.2}  # where a base was never seen
FEWEST = 5  # sights of a detector before it has a number of its own
ROUNDS = 50
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01))


@dataclass(frozen=True)
class Sight:
    """One piece of evidence, and whether it named the fault."""

    set: str
    technique: str
    telling: Telling
    cause: str
    right: bool

    @property
    def family(self) -> str:
        return catalog.find(self.cause).family

    @property
    def features(self) -> tuple[tuple[str, str], ...]:
        return (
            ("base", f"{self.technique}.{self.telling}"),
            ("family", self.family),
            ("detector", f"{self.technique}.{self.cause}"),
        )


Weights = Mapping[tuple[str, str], float]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench fit", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the table in {TABLE.name}")
    asked = parser.parse_args(arguments)
    sights = [*sights_in_source(), *sights_in_runs()]
    for row in told(sights):
        print(row)
    if asked.write:
        TABLE.write_text(table(sights), "utf-8")
    return 0


def told(sights: Sequence[Sight]) -> Iterator[str]:
    counts = Counter((s.technique, s.telling) for s in sights)
    right = Counter((s.technique, s.telling) for s in sights if s.right)
    for key in sorted(counts):
        share = right[key] / counts[key]
        yield f"{'.'.join(key):<20} right in {right[key]} of {counts[key]} ({share:.0%})"
    yield ""
    yield "On sets that were held out, one at a time:"
    for name, spread in _models().items():
        yield f"  {name:<28} " + _scores([*held_out(sights, spread)])
    predicted = [*held_out(sights, SPREAD)]
    for low, high in BINS:
        inside = [s.right for s, p in predicted if low <= p < high and s.telling in FAULTS]
        if inside:
            part = f"right in {sum(inside)} of {len(inside)} ({sum(inside) / len(inside):.0%})"
            yield f"  said {low:.0%} to {min(high, 1):.0%}: {part}"


def _models() -> Mapping[str, Mapping[str, float]]:
    return {
        "bases alone": {"base": SPREAD["base"]},
        "and families": {name: SPREAD[name] for name in ("base", "family")},
        "and detectors": SPREAD,
    }


def _scores(predicted: Sequence[tuple[Sight, float]]) -> str:
    import math

    brier = sum((p - s.right) ** 2 for s, p in predicted) / len(predicted)
    logs = -sum(math.log(p if s.right else 1 - p) for s, p in predicted) / len(predicted)
    return f"Brier {brier:.4f}, log loss {logs:.4f}"


def held_out(sights: Sequence[Sight], spread: Mapping[str, float]) -> Iterator[tuple[Sight, float]]:
    """What is foretold of each set by a fit on all the others."""
    for name in dict.fromkeys(sight.set for sight in sights):
        weights = fitted([s for s in sights if s.set != name], spread)
        for sight in sights:
            if sight.set == name:
                yield sight, probability(weights, sight)


def probability(weights: Weights, sight: Sight) -> float:
    import math

    base = sight.features[0]
    total = weights.get(base, math.log(START[sight.telling] / (1 - START[sight.telling])))
    total += sum(weights.get(feature, 0.0) for feature in sight.features[1:])
    return 1 / (1 + math.exp(-total))


def fitted(sights: Sequence[Sight], spread: Mapping[str, float]) -> Weights:
    """The most likely coefficients under the ridge, by Newton's method."""
    import numpy as np

    seen = Counter(feature for sight in sights for feature in sight.features if feature[0] in spread)
    names = [f for f, count in seen.items() if f[0] != "detector" or count >= FEWEST]
    place = {feature: number for number, feature in enumerate(names)}
    x = np.zeros((len(sights), len(names)))
    for row, sight in enumerate(sights):
        for feature in sight.features:
            if feature in place:
                x[row, place[feature]] = 1.0
    y = np.array([sight.right for sight in sights], dtype=float)
    start = np.array([_expected(feature) for feature in names])
    ridge = np.array([1 / spread[feature[0]] ** 2 for feature in names])
    found = _newton(x, y, start, ridge)
    return dict(zip(names, map(float, found), strict=True))


def _expected(feature: tuple[str, str]) -> float:
    import math

    if feature[0] != "base":
        return 0.0
    share = START[feature[1].rpartition(".")[2]]
    return math.log(share / (1 - share))


def _newton(x: "np.ndarray", y: "np.ndarray", start: "np.ndarray", ridge: "np.ndarray") -> "np.ndarray":
    import numpy as np

    weights = start.copy()
    for _ in range(ROUNDS):
        share = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (share - y) + ridge * (weights - start)
        curve = (x.T * (share * (1 - share))) @ x + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def table(sights: Sequence[Sight]) -> str:
    """The file that the weighing reads."""
    weights = fitted(sights, SPREAD)
    sets = ", ".join(f"{name} {count}" for name, count in Counter(s.set for s in sights).items())
    lines = [
        "# How often the cause is at work when a detector says so. Written by `python -m bench fit --write`",
        f"# from {len(sights)} pieces of evidence ({sets}); `base` are shares, the rest moves",
        "# their logits. A technique or degree that was never seen has the share it started from.",
    ]
    techniques = sorted({*(s.technique for s in sights), "lint", "watch", "probe", "experiment", "crash"})
    for technique in techniques:
        lines += ["", f"[base.{technique}]"]
        lines += [f"{t} = {_base(weights, technique, t):.3f}" for t in TELLINGS]
    lines += _without_evidence(techniques)
    lines += ["", "[family]"] + [
        f"{name} = {weights['family', name]:.2f}" for kind, name in sorted(weights) if kind == "family"
    ]
    for technique in techniques:
        own = [
            name for kind, name in sorted(weights) if kind == "detector" and name.startswith(f"{technique}.")
        ]
        if own:
            lines += ["", f"[{technique}]"]
            lines += [f"{name.partition('.')[2]} = {weights['detector', name]:.2f}" for name in own]
    return "\n".join(lines) + "\n"


def _without_evidence(techniques: Sequence[str]) -> list[str]:
    """Techniques of which nothing is kept, such as those for agents: their rows stay as they stand."""
    table = tomllib.loads(TABLE.read_text("utf-8"))["base"]
    rows = [(name, shares) for name, shares in table.items() if name not in techniques]
    return [
        line
        for name, shares in rows
        for line in ("", f"[base.{name}]", *(f"{telling} = {share}" for telling, share in shares.items()))
    ]


def _base(weights: Weights, technique: str, telling: Telling) -> float:
    import math

    weight = weights.get(("base", f"{technique}.{telling}"))
    return START[telling] if weight is None else 1 / (1 + math.exp(-weight))


def sights_in_runs() -> Iterator[Sight]:
    """What was seen in runs: as it counts where all circumstances are known, roots before symptoms."""
    for name in SETS:
        known = kept.read(name)
        for script in kept.scripts(name):
            if script.name in known:
                for evidence in weigh(known[script.name].observed).evidence:
                    if evidence.technique != "lint":
                        yield _sight(script, evidence)


def sights_in_source() -> Iterator[Sight]:
    """What lint says of every script; remembered, as it takes minutes."""
    version = version_of_sleuth()
    remembered = json.loads(LINTED.read_text("utf-8")) if LINTED.is_file() else {}
    known = remembered.get("seen", {}) if remembered.get("version") == version else {}
    for name in SETS:
        for script in kept.scripts(name):
            if script.name not in known:
                known[script.name] = [[e.telling, e.cause] for e in _linted(script)]
            for telling, cause in known[script.name]:
                yield _sight(script, Evidence("", telling, cause=cause, technique="lint"))
    LINTED.parent.mkdir(exist_ok=True)
    LINTED.write_text(json.dumps({"version": version, "seen": known}), "utf-8")


@cache
def _linter() -> Callable[..., Any]:
    from sleuth.lint import lint

    return lint


def _linted(script: Script) -> Sequence[Evidence]:
    from sleuth.lint import Selection

    try:
        found: Sequence[Evidence] = _linter()([script.path], selection=Selection(notes=True), jobs=1).evidence
    except SleuthError:
        return ()
    return found


def _sight(script: Script, evidence: Evidence) -> Sight:
    right = evidence.cause in script.accepted
    return Sight(script.set, evidence.technique, evidence.telling, evidence.cause, right)
