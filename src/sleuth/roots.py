"""Root before symptom: which findings of a run only show what another one does."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sleuth.finding import Finding

# What makes steps too long, whatever the configured rate.
_LONG_STEPS = (
    "missing-zero-grad accumulation-unscaled loss-sign-flipped logits-into-prob-loss labels-out-of-range "
    "inputs-unnormalized bad-init-scale clip-misplaced step-before-backward loss-not-reset scheduler-cadence "
    "model-reset-in-loop"
)
# What keeps the weights, or the signal, from moving at all.
_NO_MOVE = (
    "missing-backward missing-step zero-grad-after-backward step-before-backward no-grad-training "
    "stale-optimizer-params detached-graph loss-disconnected frozen-params params-not-in-optimizer zero-init "
    "labels-all-ignored inputs-constant"
)
_NOT_FINITE = "nonfinite-input labels-all-ignored"

# Symptom → roots. When a root was found, its symptom is only worth a note.
WATCH_ROOTS: Mapping[str, str] = {
    "lr-collapsed": "scheduler-cadence",
    "lr-too-high": f"{_LONG_STEPS} {_NOT_FINITE} loss-broadcast update-skipped {_NO_MOVE}",
    "exploding-gradients": f"{_LONG_STEPS} {_NOT_FINITE} lr-too-high hidden-state-not-detached",
    "nonfinite-forward": f"{_LONG_STEPS} {_NOT_FINITE} lr-too-high exploding-gradients nonfinite-gradient",
    "nonfinite-gradient": f"{_LONG_STEPS} {_NOT_FINITE} lr-too-high exploding-gradients",
    "no-warmup": f"{_LONG_STEPS} lr-too-high init-loss-off",
    "clip-always-active": f"{_LONG_STEPS} exploding-gradients",
    "dead-relu": "inputs-unnormalized zero-init bad-init-scale inputs-constant nonfinite-input lr-too-high",
    "saturated-activations": "inputs-unnormalized bad-init-scale nonfinite-input lr-too-high",
    "vanishing-gradients": "saturated-activations bad-init-scale dead-relu zero-init detached-graph "
    "inputs-unnormalized double-softmax labels-all-ignored frozen-params",
    "bad-init-scale": "inputs-unnormalized zero-init inputs-constant nonfinite-input",
    "init-loss-off": "bad-init-scale double-softmax logits-into-prob-loss inputs-unnormalized loss-broadcast "
    "labels-out-of-range labels-all-ignored nonfinite-input zero-init weights-not-loaded",
    "loss-disconnected": "zero-grad-after-backward missing-backward step-before-backward no-grad-training "
    "stale-optimizer-params frozen-params detached-graph dead-relu zero-init labels-all-ignored "
    "labels-constant",
    "detached-graph": "no-grad-training frozen-params stale-optimizer-params",
    "unused-parameters": "detached-graph stale-optimizer-params frozen-params no-grad-training",
    "params-not-in-optimizer": "stale-optimizer-params",
    "inplace-corruption": "step-before-backward",
    "update-skipped": f"lr-collapsed scheduler-cadence nonfinite-gradient update-underflow {_NO_MOVE}",
    "update-underflow": "lr-collapsed scheduler-cadence",
    "lr-too-low": f"lr-collapsed scheduler-cadence vanishing-gradients saturated-activations double-softmax "
    f"update-underflow clip-misplaced bad-init-scale {_NO_MOVE}",
    "undertrained": "lr-too-low lr-too-high lr-collapsed scheduler-cadence model-reset-in-loop "
    "double-softmax "
    f"vanishing-gradients loss-sign-flipped logits-into-prob-loss unshuffled-training {_NO_MOVE}",
    "overfitting": "train-mode-eval preprocessing-mismatch eval-mode-training repeated-batch augmented-eval "
    "dropout-ignores-mode split-overlap unshuffled-training labels-constant norm-batch-of-one",
    "preprocessing-mismatch": "augmented-eval inputs-constant nonfinite-input",
    "augmented-eval": "dropout-ignores-mode",
    "loss-metric-mismatch": "logit-threshold train-mode-eval class-imbalance labels-constant loss-broadcast",
    "class-imbalance": "labels-constant unshuffled-training inputs-constant",
    "memory-growth": "loss-not-reset hidden-state-not-detached eval-without-no-grad",
    "throughput-decay": "loss-not-reset hidden-state-not-detached memory-growth",
    "batch-too-small": f"norm-batch-of-one lr-too-high {_NO_MOVE}",
    "loss-terms-imbalanced": "inputs-unnormalized boundary-starved loss-disconnected",
    "labels-constant": "unshuffled-training",
    "scheduler-before-optimizer": "missing-step step-before-backward",
}


def roots_first(found: Iterable[Finding], table: Mapping[str, str] = WATCH_ROOTS) -> list[Finding]:
    """A symptom beside its root becomes a note that says so."""
    found = list(found)
    serious = {finding.cause for finding in found if finding.severity != "note"}
    ranked = []
    for finding in found:
        roots = [root for root in table.get(finding.cause, "").split() if root in serious - {finding.cause}]
        if roots and finding.severity != "note":
            message = f"{finding.message} Probably a consequence of {roots[0]}."
            finding = replace(finding, severity="note", credence=min(finding.credence, 0.2), message=message)
        ranked.append(finding)
    return ranked
