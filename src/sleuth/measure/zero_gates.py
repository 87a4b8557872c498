"""Layers behind a gate that starts at zero: they get no gradient in the first step, and all of it soon after.

Residual branches, adapters, attention queries and heads are begun so on purpose.
"""

import torch

from sleuth.measure.forward import each_gradient
from sleuth.measure.gradients import alike_for_ever
from sleuth.measure.subject import Subject

STEPS = 3  # a gate before a gate opens one step later
STRIDE = 1e-2  # of each step, in the length of one parameter's change: far, so that what opens is plain


def woken(subject: Subject) -> frozenset[str]:
    """Parameters that, after a few plain steps downhill, get a gradient that tells their units apart.

    It moves the live weights: whoever asks restores them.
    """
    weights = subject.parameters()
    owners = {id(p): module for module in subject.model.modules() for p in module.parameters(recurse=False)}
    awake: set[str] = set()

    def move(name: str, slope: torch.Tensor) -> None:
        size = float(slope.norm())
        if size == 0 or slope.is_sparse:
            return
        weight = weights[name]
        if not alike_for_ever(weight.detach(), slope, owners.get(id(weight), subject.model)):
            awake.add(name)
        slopes[name] = slope.clone()

    for _ in range(STEPS):
        slopes: dict[str, torch.Tensor] = {}
        each_gradient(subject.loss(), weights, move)
        with torch.no_grad():
            for name, slope in slopes.items():
                weights[name].sub_(slope, alpha=STRIDE / float(slope.norm()))
    return frozenset(awake)
