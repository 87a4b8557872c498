"""The loss before training is far from what pure guessing would cost.

## What happens
An untrained classifier should shrug. With K balanced classes the first loss should be close to ln
K: 0.69 for 2, 2.30 for 10, 4.61 for 100, 6.91 for 1000. Well above that, the model is *confidently*
wrong: its initial logits are large, and the first hundred steps go into shrinking them instead of
learning. The curve has the shape of a hockey stick. Well below, it knows something it should not (a
leak, weights already trained, constant labels).

This is a symptom with a short list of roots: inputs in 0..255, an output layer initialised too
large, a sum in place of a mean, a softmax over the wrong axis (then you see ln of the batch size),
the wrong loss. Regression has its own scale: with targets standardised and small outputs the first
MSE is about 1; with raw prices it is the mean square of the price, and the bias has to travel all
the way.

```python
x = torch.randn(64, 100) * 255                 # not normalised
loss = F.cross_entropy(nn.Linear(100, 10)(x), y)     # in the hundreds, not 2.3
```

A high first loss that vanishes in ten steps is merely wasteful. With few rare positives chance is
not ln 2: guessing the base rate of 1% costs 0.056.

## How to tell
- **probe**: the loss of the fresh model on one batch against ln K (or the entropy of the label
  frequencies, or the variance of the target). A factor of 1.5 deserves a look; most runs
  overcome it in a few steps. A factor of 100 is a fault.
- **watch**: the first recorded loss is far off, followed by a steep drop to about chance within a
  few steps, and only then real learning.
- **refuted by**: the first loss is within some 20% of chance level.

## How to fix
Find the root first; the list above is in order of likelihood. If none applies, start the last layer
quietly and put the base rate or the target's mean into its bias.

```python
nn.init.normal_(head.weight, std=0.01)
with torch.no_grad():
    head.bias.copy_(class_frequencies.log())       # regression: target_mean
```

Leave it alone in a model that was pretrained, and in losses with no natural chance level.

## Often mistaken for
- `bad-init-scale`: the root, if activations grow from layer to layer; it should be named instead.
- `inputs-unnormalized`: the root, if the batch itself is far from zero mean and unit variance.
- `labels-constant`: when the first loss is normal and near zero soon after.

## Sources
- cs231n-nn3: Before learning, sanity checks; the expected loss at chance, 2.302 for ten classes.
- karpathy-2019: the step on end-to-end skeleton and dumb baselines, items on verifying the loss at
  initialisation and initialising well.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import at, chance, loaded, loss_calls, needed

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

ANSWERS = "initial loss"
CONSEQUENCE_OF = (
    "bad-init-scale double-softmax exploding-gradients inputs-unnormalized labels-all-ignored "
    "labels-out-of-range logits-into-prob-loss loss-broadcast loss-wrong-for-task nonfinite-input "
    "raw-units target-leakage weights-not-loaded wrong-reduction zero-init"
)
UNLESS = {"numbers": "overcome plays"}
PREDICTS = {"same-batch": "rarely"}

LOOK, FAULT = 1.5, 5.0  # times the cost of guessing; see the page
TOO_GOOD = 0.2
ABSURD = 100.0  # times: what is less far off is a symptom that most runs overcome in a few steps


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for use in bench.first.losses:
        if not use.chance or not use.connected or use.target_distinct < 2:
            continue
        ratio = _times(use.mean_value, use.chance)
        numbers = {"loss": use.mean_value, "chance": use.chance, "ratio": ratio}
        fault = ratio > ABSURD
        if ratio > LOOK:
            yield Evidence(
                f"{use.name} starts at {use.mean_value:.4g}, {ratio:.1f} times the loss of guessing "
                f"({use.chance:.4g}): the outputs are confident and wrong before the first step"
                + (", or the targets are far from zero." if "loss" in use.name and use.classes <= 1 else "."),
                telling="likely" if fault else "aside",
                where=use.where,
                numbers=numbers,
                fix="Check the scale of the last layer, the scale of the targets, and the loss function.",
            )
        elif ratio < TOO_GOOD:
            yield Evidence(
                f"{use.name} is {use.mean_value:.4g} where guessing gives {use.chance:.4g}: fine for a "
                "trained model; an untrained one must have access to the target.",
                telling="aside",
                where=use.where,
                numbers=numbers,
                fix="If the model is untrained, look for the target among the inputs.",
            )


def _times(loss: float, chance: float) -> float:
    """How many times the cost of guessing; likelihoods of counts may be negative, and only differ."""
    return loss / chance if chance > 0 else 1 + (loss - chance) / max(1.0, -chance)


def watch(record: "Record") -> Iterator[Evidence]:
    first = [call for call in needed(loss_calls(record), "loss calls") if call.n == 0]
    for call in first[:1]:
        guess = chance(call)
        if guess is None or call.value is None or call.value != call.value or loaded(record, call.n):
            continue
        ratio = call.value / guess
        if ratio > LOOK:
            yield Evidence(
                f"`{call.function}` starts at {call.value:.4g}, {ratio:.1f} times the loss of guessing "
                f"({guess:.3g}): the untrained model is confident and wrong, and the first steps are "
                "spent on correcting that.",
                telling="likely" if ratio > FAULT else "aside",
                where=at(call),
                numbers={"loss": call.value, "chance": guess, "ratio": ratio},
                fix="Check the scale of the inputs and of the last layer's weights.",
            )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import last_layer, where_written

    return where_written(finding, scene) or (None if scene.record is None else last_layer(scene.record))


FAR_OFF = 20.0  # times what guessing costs, before the first step


def settle(finding: Evidence, record: "Record") -> Evidence:
    """Targets far from zero start a loss high without anybody's doing, and a run overcomes it; values written
    by hand are another matter."""
    from sleuth.places.layers import where_written
    from sleuth.places.scene import Scene

    by_hand = where_written(finding, Scene(record)) is not None
    far = float(finding.numbers.get("ratio", 0.0)) > FAR_OFF
    return replace(finding, unless=()) if by_hand and far else finding
