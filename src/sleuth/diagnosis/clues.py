"""Clues from source, record and first step, brought together: one entry a cause, roots before symptoms."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sleuth.causes.architecture.structural_ceiling import SAME_ANSWERS
from sleuth.causes.loss.loss_disconnected import NO_EFFECT
from sleuth.diagnosis.lines import SET_BY_HAND
from sleuth.facts.seen import ended, loss_calls, thawed_later
from sleuth.facts.step import Evaluation, Layers, Record
from sleuth.finding import SEVERITIES, Finding
from sleuth.judge.board import Clue

# A symptom gives way to a root that was found as well: the code that does it before the number that shows it.
# What the rooms know of their own symptoms (sleuth.probing, sleuth.roots) is added to this.
ROOTS: Mapping[str, str] = {
    "lr-too-high": "inputs-unnormalized wrong-reduction accumulation-unscaled missing-zero-grad "
    "bad-init-scale loss-sign-flipped loss-not-reset step-before-backward clip-misplaced unsafe-log-div "
    "unstable-exp logits-into-prob-loss loss-broadcast no-warmup unshuffled-training norm-batch-of-one "
    "zero-init nonfinite-input labels-out-of-range missing-detach raw-units loss-saturated",
    "lr-too-low": "scheduler-cadence lr-collapsed double-softmax vanishing-gradients frozen-params "
    "zero-init params-not-in-optimizer detached-graph wrong-reduction clip-always-active "
    "saturated-activations stale-optimizer-params zero-grad-after-backward missing-step loss-disconnected "
    "dead-relu bad-init-scale loss-saturated eval-mode-training no-grad-training model-reset-in-loop "
    "output-activation logits-into-prob-loss unregistered-modules update-underflow over-regularized "
    "weights-not-loaded",
    "lr-collapsed": "scheduler-cadence",
    "undertrained": "*",
    "underpowered-model": "*",
    "input-destroyed": "*",
    # Whatever keeps the inputs from the outputs makes random labels as good as the real ones.
    "labels-misaligned": "missing-nonlinearity shared-layer-misuse structural-ceiling inputs-constant "
    "batch-mixing softmax-wrong-dim unused-parameters",
    "overfitting": "split-overlap target-leakage fit-on-all-data labels-misaligned train-mode-eval "
    "preprocessing-mismatch augmented-eval dropout-ignores-mode",
    "nonfinite-forward": "unsafe-log-div unstable-exp nonfinite-input lr-too-high exploding-gradients "
    "bad-init-scale inputs-unnormalized missing-zero-grad",
    "nonfinite-gradient": "unsafe-log-div unstable-exp nonfinite-input lr-too-high exploding-gradients",
    "exploding-gradients": "lr-too-high inputs-unnormalized bad-init-scale wrong-reduction "
    "loss-terms-imbalanced missing-zero-grad accumulation-unscaled unsafe-log-div unstable-exp "
    "clip-misplaced hidden-state-not-detached loss-not-reset loss-sign-flipped",
    "dead-relu": "lr-too-high bad-init-scale inputs-unnormalized zero-init missing-zero-grad "
    "wrong-reduction accumulation-unscaled loss-sign-flipped",
    "saturated-activations": "bad-init-scale inputs-unnormalized lr-too-high zero-init",
    "bad-init-scale": "raw-units",
    "loss-metric-mismatch": "logit-threshold train-mode-eval metric-accumulation-bug loss-sign-flipped "
    "loss-broadcast double-softmax dropout-ignores-mode class-imbalance nonfinite-forward "
    "nonfinite-gradient nonfinite-input unsafe-log-div unstable-exp lr-too-high exploding-gradients",
    "memory-growth": "loss-not-reset hidden-state-not-detached eval-without-no-grad",
    "throughput-decay": "loss-not-reset hidden-state-not-detached memory-growth",
    "loss-disconnected": "no-grad-training detached-graph frozen-params params-not-in-optimizer "
    "stale-optimizer-params zero-grad-after-backward missing-backward missing-step",
    "detached-graph": "loss-disconnected zero-grad-after-backward",
    "vanishing-gradients": "over-regularized raw-units",
    "unused-parameters": "detached-graph loss-disconnected unregistered-modules",
    "update-skipped": "zero-grad-after-backward missing-backward lr-collapsed scheduler-cadence "
    "lr-too-low stale-optimizer-params params-not-in-optimizer frozen-params detached-graph",
    "params-not-in-optimizer": "unregistered-modules stale-optimizer-params model-reset-in-loop",
    "init-loss-off": "bad-init-scale double-softmax wrong-reduction logits-into-prob-loss loss-broadcast "
    "inputs-unnormalized raw-units",
    "clip-always-active": "lr-too-high inputs-unnormalized wrong-reduction bad-init-scale",
    "no-warmup": "lr-too-high inputs-unnormalized bad-init-scale",
    "unseeded": "*",
    "nondeterminism": "*",
    "eval-without-no-grad": "*",
}
# Settings are blamed last: a tenth of the rate helps against most bugs.
GIVES_WAY = frozenset(
    "lr-too-high lr-too-low no-warmup batch-too-small overfitting labels-misaligned".split()
)
PROVEN = 0.75
OF_A_NOTE = 0.05  # strength of a clue that is only worth knowing
FAR_OFF = 20.0  # times what guessing costs, before the first step
STRONG = 0.5  # a root must be at least this sure to explain a symptom away


# What only matters if it keeps the loss from falling.
HINDRANCES = frozenset(
    "init-loss-off loss-terms-imbalanced loss-terms-conflict saturated-activations clip-always-active "
    "vanishing-gradients exploding-gradients no-warmup lr-too-high lr-too-low loss-saturated "
    "structural-ceiling bad-init-scale input-destroyed "
    "labels-misaligned wrong-reduction".split()
)


def harmless_where_it_learns(findings: Iterable[Finding], made: Mapping[str, Any]) -> list[Finding]:
    """A hindrance that the run overcame is worth a note, unless the source shows it or an experiment did."""
    kept = []
    for finding in findings:
        proven = getattr(made.get(f"undo({finding.cause})"), "yes", None)
        if hindering(finding) and not proven:
            finding = replace(finding, severity="note", credence=min(finding.credence, 0.2))
        kept.append(finding)
    return kept


# Settings that one experiment decides: without its help they explain nothing else away either.
DECIDED_BY = {"lr-too-high": "lr×0.1", "lr-too-low": "lr×10"}


def refuted(findings: Iterable[Finding], made: Mapping[str, Any]) -> list[Finding]:
    """A rate that was tried otherwise, to no avail, is worth a note."""
    return [
        replace(finding, severity="note", credence=min(finding.credence, 0.2))
        if finding.technique != "lint"
        and getattr(made.get(DECIDED_BY.get(finding.cause, "")), "yes", None) is False
        else finding
        for finding in findings
    ]


# What is read off the course of a loss, or off where it begins. The loss of an agent that makes its own data
# has no such course, its first targets are what it says itself, and its policy starts even, by a small head
# on purpose: the entropy then has no slope, and little reaches the layers below.
OF_THE_COURSE = frozenset(
    "undertrained lr-too-low lr-too-high overfitting underpowered-model loss-metric-mismatch "
    "no-warmup init-loss-off loss-terms-imbalanced vanishing-gradients batch-too-small "
    "memory-growth".split()  # experience is kept on purpose
)


def without_the_course(findings: Iterable[Finding]) -> list[Finding]:
    """For agents: what only the course of the loss speaks for is worth a note."""
    return [
        replace(f, severity="note", credence=min(f.credence, 0.2))
        if f.cause in OF_THE_COURSE and f.technique != "lint"
        else f
        for f in findings
    ]


SAMPLED = 5  # further calls on the same rows


def of_a_stage(findings: Iterable[Finding], record: Record, thaws: bool = False) -> list[Finding]:
    """A probe sees one step, and the run more. Layers that rest then and learn later are thawed one after the
    other, or the source says so (`thaws`) and the run was cut short before; classes that one task has and the
    next has not are no matter of a split; labels that are all alike there and differ elsewhere are those of
    one client, day or file; a part that one call leaves out and that moves all the same serves another task;
    slopes that the first optimizer leaves are for the second; targets that one of two losses does not read
    are for the other; who asks a model several times about the same rows wants answers to differ."""
    passing = {"frozen-params"} if thawed_later(record) else set()
    ahead = {"frozen-params"} if thaws and not ended(record) else set()
    calls = loss_calls(record)
    if len({call.classes for call in calls if call.classes}) > 1:
        ahead.add("unstratified-split")
    if len({bound for call in calls for bound in (call.target_min, call.target_max)}) > 1:
        passing.add("labels-constant")
    if any(seen.again >= SAMPLED for seen in record.of(Evaluation)):
        passing.add("dropout-ignores-mode")
    shared = _one_backward_for_all(record)
    several = len({(step.loss_path, step.loss_line) for step in record.steps}) > 1
    moved = {name for layers in record.of(Layers) for name, change in layers.updates.items() if change}
    return [
        replace(f, severity="note", credence=min(f.credence, 0.1))
        if f.cause in passing
        or (f.cause in ahead and f.technique != "lint")
        or (shared and _left_lying(f))
        or (several and _without_targets(f))
        or _serves_another_call(f, moved)
        else f
        for f in findings
    ]


def _left_lying(finding: Finding) -> bool:
    """Slopes that a probe saw left to another optimizer: it has its turn after the same backward pass."""
    return finding.cause == "missing-detach" and finding.technique == "probe"


def _without_targets(finding: Finding) -> bool:
    return (
        finding.cause == "loss-disconnected" and finding.technique == "probe" and NO_EFFECT in finding.numbers
    )


def _one_backward_for_all(record: Record) -> bool:
    """Two optimizers that step one after the other, on the slopes of one backward pass."""
    steps = [step for step in record.steps[1:] if step.pattern in record.patterns]
    silent = {
        step.optimizer
        for step in steps
        if not any(name == "backward" for name, _, _ in record.patterns[step.pattern].events)
    }
    return bool(silent) and len({step.optimizer for step in steps}) > len(silent)


def _serves_another_call(finding: Finding, moved: set[str]) -> bool:
    module = finding.where.module if finding.where is not None else None
    if finding.cause != "unused-parameters" or finding.technique != "probe" or not module:
        return False
    return any(name.startswith(f"{module}.") for name in moved)


LIBRARIES = ("site-packages", "dist-packages")


def of_libraries(findings: Iterable[Finding]) -> list[Finding]:
    """What numbers show inside a library's training code is worth a note: it is not the user's to mend."""
    return [
        replace(finding, severity="note", credence=min(finding.credence, 0.2))
        if _in_library(finding)
        else finding
        for finding in findings
    ]


def _in_library(finding: Finding) -> bool:
    path = finding.where.path if finding.where is not None else None
    return path is not None and any(name in path for name in LIBRARIES)


def hindering(finding: Finding) -> bool:
    """A hindrance seen in numbers; what the source shows stays as it is, and so do labels proven wrong."""
    if finding.cause == "labels-misaligned" and finding.severity == "error":
        return False
    # The loss falls there, and nothing comes of it.
    if SAME_ANSWERS in finding.numbers or (finding.cause, finding.technique) == ("loss-saturated", "watch"):
        return False
    # Targets far from zero start a loss high without anybody's doing; values written by hand do not.
    if SET_BY_HAND in finding.numbers and float(finding.numbers.get("ratio", 0.0)) > FAR_OFF:
        return False
    return finding.cause in HINDRANCES and finding.severity != "note" and finding.technique != "lint"


UNDECIDED = 0.3  # credence of a note that asks for an experiment
# Taken back, these help where they hinder and hardly where they do not; of other notes that is not known.
ASKING = frozenset(("clip-always-active", "scheduler-cadence", "vanishing-gradients"))


def undecided(finding: Finding) -> bool:
    """Numbers of the run that may or may not hold it back: a detector that cannot tell says so by how sure it
    is of its note."""
    note = finding.technique == "watch" and finding.severity == "note"
    return note and finding.cause in ASKING and finding.credence >= UNDECIDED


def confirmed(findings: Iterable[Finding], made: Mapping[str, Any]) -> list[Finding]:
    """A suspect whose undoing made the script learn is found, however faint the clue that led to it."""
    found = []
    for finding in merged(findings).values():
        trial = made.get(f"undo({finding.cause})")
        if trial is not None and trial.yes:
            told = f" ({trial.figures})" if trial.figures != trial.detail else ""  # no numbers: nothing new
            message = f"{finding.message} With it undone the script does clearly better{told}."
            found.append(
                replace(finding, severity="error", credence=0.85, technique="experiment", message=message)
            )
    return found


def merged_roots() -> dict[str, set[str]]:
    """All tables of roots as one."""
    from sleuth.probing import ROOTS as OF_PROBES
    from sleuth.roots import WATCH_ROOTS

    merged: dict[str, set[str]] = {}
    for table in (ROOTS, OF_PROBES, WATCH_ROOTS):
        for symptom, roots in table.items():
            merged.setdefault(symptom, set()).update(roots.split())
    return merged


def roots_before_symptoms(findings: Iterable[Finding]) -> list[Finding]:
    """A symptom beside its root becomes a note that says whose consequence it is."""
    found = list(findings)
    strong = {f.cause for f in found if f.severity != "note" and f.credence >= STRONG}
    roots = merged_roots()
    proven = {
        f.cause
        for f in found
        if f.severity == "error" and f.credence >= PROVEN and f.family != "hyperparameters"
    }
    ranked = []
    for finding in found:
        named = roots.get(finding.cause, set())
        above = sorted((strong if "*" in named else strong & named) - {finding.cause})
        if finding.cause in GIVES_WAY and finding.technique != "lint":
            others = proven - {finding.cause, *above}
            above += sorted(c for c in others if finding.cause not in roots.get(c, set()))
        # Two symptoms that name each other would both vanish; the surer one stays.
        above = [
            root
            for root in above
            if not {finding.cause, "*"} & roots.get(root, set()) or _before(root, finding, found)
        ]
        if above and finding.severity != "note":
            finding = replace(
                finding,
                severity="note",
                credence=min(finding.credence, 0.15),
                message=f"{finding.message} Probably a consequence of {above[0]}.",
            )
        ranked.append(finding)
    return ranked


def _before(root: str, symptom: Finding, found: list[Finding]) -> bool:
    """Whether the root is shown by the source where the symptom is not, or else is the surer of the two."""
    roots = [f for f in found if f.cause == root]
    shown = any(_by_source(f) for f in roots)
    if shown != _by_source(symptom):
        return shown
    return max(f.credence for f in roots) > symptom.credence


def _by_source(finding: Finding) -> bool:
    return finding.severity == "error" and finding.technique.startswith("lint")


def merged(findings: Iterable[Finding]) -> dict[str, Finding]:
    """One finding a cause: the surest speaks; line, numbers and edits come from whoever has them."""
    by_cause: dict[str, list[Finding]] = {}
    for finding in findings:
        by_cause.setdefault(finding.cause, []).append(finding)
    return {cause: _one(group) for cause, group in by_cause.items()}


def _one(group: list[Finding]) -> Finding:
    ranked = sorted(group, key=lambda f: (SEVERITIES.index(f.severity), -f.credence, _order(f)))
    first = ranked[0]
    placed = next((f for f in sorted(ranked, key=_order) if f.where is not None and f.where.line), first)
    numbers = {key: value for f in reversed(ranked) for key, value in f.numbers.items()}
    techniques = "+".join(sorted({f.technique for f in group}, key=list(_ORDER).index))
    return replace(
        first,
        where=placed.where if placed.where is not None else first.where,
        numbers=numbers,
        fix=next((f.fix for f in ranked if f.fix), ""),
        edits=next((f.edits for f in ranked if f.edits), ()),
        technique=techniques,
    )


# Whose line is trusted most: the source says where it is written, a probe or a record where it was seen.
_ORDER = {"lint": 0, "watch": 1, "probe": 2, "experiment": 3, "crash": 4}


def _order(finding: Finding) -> int:
    return _ORDER.get(finding.technique, 5)


def as_clues(findings: Iterable[Finding]) -> list[Clue]:
    """What the board is told. A note is a weak clue whatever it says of itself."""
    return [
        Clue(f.cause, f.technique, min(f.credence, OF_A_NOTE) if f.severity == "note" else f.credence)
        for f in findings
        if f.cause
    ]
