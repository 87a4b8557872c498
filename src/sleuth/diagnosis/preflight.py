"""Before the run: which causes this script invites, and the cheapest check for each."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sleuth import catalog
from sleuth.diagnosis.sources import local_sources
from sleuth.finding import Finding, Where
from sleuth.judge.board import Clue, configured_priors, credences, priors
from sleuth.judge.experiments import NOTHING, OTHER

# What stands in a source makes some causes possible and others pointless to ask about: a word, the causes it
# invites, and how many times as likely they become.
INVITES: Mapping[str, tuple[str, float]] = {
    r"lr_scheduler|Scheduler": ("scheduler-cadence scheduler-before-optimizer lr-collapsed", 4.0),
    r"clip_grad": ("clip-misplaced clip-always-active", 4.0),
    r"Dropout|BatchNorm": ("eval-mode-training train-mode-eval norm-batch-of-one dropout-ignores-mode", 3.0),
    r"LSTM|GRU|RNN": ("hidden-state-not-detached state-not-carried exploding-gradients", 3.0),
    r"accum": ("accumulation-unscaled", 5.0),
    r"autocast|GradScaler|\.half\(|bfloat16": ("update-underflow clip-misplaced nonfinite-forward", 3.0),
    r"load_state_dict|from_pretrained": ("weights-not-loaded frozen-params checkpoint-aliased", 3.0),
    r"requires_grad": ("frozen-params params-not-in-optimizer", 3.0),
    r"train_test_split|random_split|Subset": ("split-overlap fit-on-all-data unstratified-split", 3.0),
    r"Scaler|fit_transform|normalize": ("fit-on-all-data preprocessing-mismatch", 3.0),
    r"softmax|sigmoid": ("double-softmax logits-into-prob-loss softmax-wrong-dim logit-threshold", 3.0),
    r"torch\.log|\.log\(|sqrt|/ ": ("unsafe-log-div", 2.0),
    r"\.view\(|\.reshape\(|permute|transpose": ("batch-mixing", 2.0),
    r"mask|Transformer|Attention": ("causal-leak softmax-wrong-dim", 3.0),
    r"num_workers": ("duplicate-worker-seed", 3.0),
    r"augment|RandomCrop|Flip|transforms": ("augmented-eval preprocessing-mismatch", 3.0),
    r"detach|\.item\(|no_grad": ("detached-graph no-grad-training loss-disconnected", 2.0),
    r"mse_loss|MSELoss|L1Loss": ("loss-broadcast output-activation inputs-unnormalized", 2.0),
}  # fmt: skip


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
    weights: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for pattern, (causes, factor) in INVITES.items():
        seen = re.search(pattern, text)
        if seen is None:
            continue
        for slug in causes.split():
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
