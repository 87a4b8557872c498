"""Before the run: which causes this script invites, and the cheapest check for each."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from sleuth import catalog
from sleuth.finding import Finding, Where
from sleuth.judge.board import Clue, configured_priors, credences, priors
from sleuth.judge.experiments import NOTHING, OTHER
from sleuth.judge.relations import says
from sleuth.source.script_files import local_sources


@dataclass(frozen=True)
class Expected:
    """A cause, its credence and its share of the catalog's, why here, and the cheapest command that looks."""

    cause: str
    weight: float
    chance: float
    summary: str
    why: str
    check: str


def expected_failures(script: Path, shown: str = "") -> list[Expected]:
    """The catalog's causes for this script, likeliest first. `shown`: how the user calls it."""
    sources = local_sources(script)
    text = "\n".join(path.read_text("utf-8", errors="replace") for path in sources)
    weights, reasons = _invited(text)
    prior = priors("measured", configured_priors(script.parent))
    shaped = {h: share * weights.get(h, 1.0) for h, share in prior.items()}
    found = _linted(sources)
    board = credences(shaped, [Clue(f.cause, "lint", f.credence) for f in found], [])
    accused = {f.cause: f"lint points at {_spot(f.where)}" for f in reversed(found) if f.where is not None}
    ranked = sorted((h for h in board if h not in (NOTHING, OTHER)), key=lambda h: -board[h])
    whole = sum(board[h] for h in ranked)
    return [
        Expected(
            slug,
            board[slug],
            board[slug] / whole,
            catalog.find(slug).page.summary,
            accused.get(slug) or reasons.get(slug, ""),
            _cheapest(slug, shlex.quote(shown or str(script)), slug in accused),
        )
        for slug in ranked
        if catalog.find(slug).family not in ("rl", "physics") or slug in reasons
    ]


def _invited(text: str) -> tuple[dict[str, float], dict[str, str]]:
    """What stands in the source makes some causes possible, and others pointless to ask about."""
    weights: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for slug in catalog.causes():
        for pattern, factor in says(slug, "INVITED_BY", {}).items():
            if seen := re.search(pattern, text):
                weights[slug] = max(weights.get(slug, 1.0), factor)
                reasons.setdefault(slug, f"the source has `{seen.group().strip()}`")
    return weights, reasons


def _linted(sources: list[Path]) -> list[Finding]:
    from sleuth.lint import lint

    return list(lint(sources, jobs=1).findings)


def _spot(where: Where) -> str:
    return f"{Path(where.path or '').name}:{where.line}"


def _cheapest(slug: str, script: str, accused: bool) -> str:
    """What to type. Lint has looked already, so it is worth a call only where it found something."""
    detectors = catalog.find(slug).detectors
    if accused:
        return f"sleuth lint {script} --select {slug}"
    if "probe" in detectors or "watch" in detectors:
        return f"sleuth diagnose --no-experiments {script}"
    if "experiment" in detectors or "undo" in detectors:
        return f"sleuth diagnose {script}"
    return f"sleuth explain {slug}"
