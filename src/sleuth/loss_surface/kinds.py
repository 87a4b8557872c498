"""What each kind of flaw means: the pages that `sleuth explain` shows of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sleuth.loss_surface.flaw import Kind


@dataclass(frozen=True)
class Meaning:
    """What it is, why it matters, and what to do."""

    what: str
    matters: str
    fix: str


MEANINGS: Mapping[Kind, Meaning] = MappingProxyType(
    {
        "dead-zone": Meaning(
            "A part of the map where the gradient is exactly zero although the loss is not at its "
            "minimum, or where training starts and has to get out. A hinge that is met is flat on "
            "purpose: that is no flaw.",
            "No optimizer and no learning rate moves a model that is there: the loss stays where it is.",
            "Give the flat side a slope (`softplus` instead of a hard hinge, a leaky floor, no clamp on "
            "the loss), or make sure that nothing starts there.",
        ),
        "axis-imbalance": Meaning(
            "The gradients along the two inputs are 1000 times apart or more, in the inputs' own units.",
            "A learning rate that suits one input hardly changes the other, or makes the first diverge.",
            "Bring the inputs to one scale (standardise them, or use logarithms), or weight the terms of "
            "the loss.",
        ),
        "saddle": Meaning(
            "A point where the loss is level, and curved up one way and down another.",
            "Descent that starts near it first stalls and then goes where chance sends it.",
            "Start away from it and break the symmetry; a product A·B becomes a sum of logarithms.",
        ),
        "leads-away": Meaning(
            "Descent leaves the map instead of arriving at the wanted point.",
            "Training makes the loss smaller and the model worse.",
            "Check the sign of each term, and that the loss at the wanted point is lower than around it.",
        ),
        "spurious-minimum": Meaning(
            "A minimum other than the wanted one, in which descent ends from part of the map.",
            "Which solution training finds depends on where it starts.",
            "Find the term that is small there and change it so that it is not, or start in the other basin.",
        ),
        "non-finite": Meaning(
            "Inputs at which the loss or its gradient is NaN or infinite.",
            "One such value makes every weight NaN.",
            "Clamp the input or add a small number inside the log, square root or division, or use the "
            "stable form (`log1p`, `logsumexp`, the `with_logits` losses).",
        ),
        "cliff": Meaning(
            "The gradient grows 1000-fold between two neighbouring points, or the loss itself jumps.",
            "A step that suits one side is far too large on the other.",
            "Smooth the edge (a soft threshold, a wider margin, a floor under the denominator), and clip "
            "gradients.",
        ),
        "saturation": Meaning(
            "The loss is high and its gradient has faded to a hundredth of what it is at low loss, as "
            "with `log1p` far out or the squared error of a sigmoid.",
            "The worst inputs are corrected least.",
            "Use a form that stays steep where it is wrong, such as the cross-entropy of the logits.",
        ),
    }
)


def markdown(kind: Kind) -> str:
    meaning = MEANINGS[kind]
    return "\n\n".join(
        [
            f"# {kind}",
            "*a flaw in the shape of a loss · found by `sleuth surface`*",
            f"## What it is\n\n{meaning.what}",
            f"## Why it matters\n\n{meaning.matters}",
            f"## How to fix\n\n{meaning.fix}",
        ]
    )


def as_json(kind: Kind) -> dict[str, Any]:
    meaning = MEANINGS[kind]
    return {
        "schema": "sleuth.flaw/1",
        "kind": kind,
        "what": meaning.what,
        "matters": meaning.matters,
        "fix": meaning.fix,
    }
