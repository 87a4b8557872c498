"""Probabilities go into a loss that expects logits: softmax or sigmoid is applied twice.

## What happens
Nothing crashes, the loss starts at exactly the right value, and accuracy climbs. `CrossEntropyLoss`
takes a log-softmax inside, so a softmax at the end of the model makes two. The inner one squeezes
every score into [0, 1]; the outer one then sees scores at most 1 apart and can never be sure of
anything. With K classes even a perfect model cannot get below ln(1 + (K - 1)/e):

| classes | chance, ln K | floor after two softmaxes | highest probability it can give |
|---|---|---|---|
| 2 | 0.693 | 0.313 | 0.731 |
| 10 | 2.303 | 1.461 | 0.232 |
| 1000 | 6.908 | 5.909 | 0.0027 |

The gradient suffers too. At the start it is K times too small, and on an example that is
confidently wrong (10 classes, 10 logits off) it is 0.0001 instead of 1.4, so mistakes stay. SGD
shows the damage: a small net on 8x8 digits had 96% training accuracy after 20 epochs, its doubled
twin 48%. Adam rescales the gradient and hides it: 97% against 96%, losses 0.16 and 1.55.

```python
self.head = nn.Sequential(nn.Linear(128, 10), nn.Softmax(dim=1))   # one
loss = nn.CrossEntropyLoss()(model(x), y)                          # two
```

The binary twin is a sigmoid before `BCEWithLogitsLoss`: negatives can never cost less than 0.693,
positives never less than 0.313. A sigmoid before `CrossEntropyLoss` has the floor of the table.
What is fine: `log_softmax` before `CrossEntropyLoss` (redundant; a second one changes nothing), a
softmax on the *target* side, such as a teacher's soft labels, and a softmax inside attention.

## How to tell
- **lint**: the result of a softmax or sigmoid, in `forward` or later, reaches `cross_entropy` or
  `binary_cross_entropy_with_logits` as first argument, be it through a variable.
- **probe**: every row given to the loss is non-negative and sums to 1 (after a sigmoid: every
  value lies between 0 and 1). Raw logits practically never do that for a whole batch.
- **watch**: the loss settles just above the floor in the table while accuracy is good or still
  rising. With two sigmoids it never goes below 0.313.
- **experiment**: corrected from outside, probabilities that reach the loss are converted back by a
  logarithm (softmax of log p is p); the loss leaves its floor.
- **refuted by**: one negative value among the numbers that the loss receives.

## How to fix
Let the model return logits. Turn them into probabilities only where a person or a threshold reads
them; `argmax` needs no softmax at all.

```python
self.head = nn.Linear(128, 10)
loss = F.cross_entropy(model(x), y)
probabilities = model(x).softmax(dim=1)      # at prediction time only
```

If the model must output probabilities, change the loss instead: `log_softmax` with `NLLLoss`, or
`sigmoid` with `BCELoss`. Then look at the learning rate again: gradients grow by about K.

## Often mistaken for
- `lr-too-low`: ten times the rate helps here as well, but no rate takes the loss below the floor.
- `logits-into-prob-loss`: the mirror image; that loss sinks below zero, this one is high and steady.
- `underpowered-model`: gets the labels of one small batch wrong; here they come out right.

## Sources
- karpathy-2018: the list of common mistakes; softmax outputs given to a loss that wants logits.
- pytorch-cross-entropy: description of `input`; unnormalised logits are what the loss expects.
- pytorch-bce-logits: opening paragraph; the sigmoid layer is part of this loss.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.record.questions import at, by_line, loss_calls, needed
from sleuth.source.edits import layer_taken_out
from sleuth.source.flow import layer
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.activations import added_conditionally, always
from sleuth.torch_losses import WANTS_LOGITS

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import LossCall, Record

CHANGES_LOSS = True
LOOKS_LIKE = {"stuck from the start": "even"}
INVITED_BY = {"softmax|sigmoid": 3.0}
PREDICTS = {"same-batch": "even", "lr×10": "usually"}

_OPTAX = (
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "sigmoid_binary_cross_entropy",
)
_DISTRIBUTIONS = ("Categorical", "OneHotCategorical", "Bernoulli", "RelaxedOneHotCategorical")

NEEDS = "softmax igmoid Softmax"


def lint(program: Program) -> Iterator[Evidence]:
    for name, call, scores in _takers_of_logits(program):
        # A limit or a change of shape between the two leaves the numbers what they are: probabilities.
        for squash in always(scores, ("softmax", "sigmoid"), through=("clamp", "clip", "torch.clamp")):
            if added_conditionally(program, squash):
                continue
            short = layer(squash).rpartition(".")[2]
            yield clue(
                "proven",
                squash,
                f"`{short}` here feeds `{name}` on {line_of(call, squash)}, which applies its own: it "
                "gets probabilities where it expects logits, so the loss cannot come near 0 and its "
                "gradient is small.",
                fix=f"Return the raw scores; apply `{short}` only where probabilities are read.",
                # Not safe: predictions read from the same output would become scores.
                edits=layer_taken_out(squash),
            )


def _takers_of_logits(program: Program) -> Iterator[tuple[str, Call, Value | None]]:
    """Everything that squashes what it gets: losses of torch and optax, distributions made from logits."""
    for use in program.losses:
        if use.name in WANTS_LOGITS:
            yield use.name, use.call, use.input
    for home in ("optax", "optax.losses"):
        for name in _OPTAX:
            for call in program.calls(f"{home}.{name}"):
                yield name, call, call.argument(0, "logits")
    for name in _DISTRIBUTIONS:
        for call in program.calls(f"torch.distributions.{name}"):
            if "logits" in call.keywords:
                yield f"{name}(logits=...)", call, call.keywords["logits"]


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for use in bench.first.losses:
        twice = use.name == "cross_entropy" and (use.rows_sum_to_one or use.squash == "sigmoid")
        binary = use.name == "binary_cross_entropy_with_logits" and use.squash in ("sigmoid", "softmax")
        if twice or binary:
            squash = use.squash or "softmax"
            yield Evidence(
                f"What reaches {use.name} are probabilities: every value lies between 0 and 1"
                + (" and every row sums to 1" if use.rows_sum_to_one else "")
                + f". The loss applies its own {'sigmoid' if binary else 'softmax'} after the model's "
                f"{squash}, which keeps the loss from coming near 0 and makes its gradient small.",
                telling="proven",
                where=use.where,
                numbers={"loss": use.mean_value, "classes": use.classes},
                fix=f"Let the model return raw scores; apply {squash} only where probabilities are read.",
            )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.probabilities_as_logs(world)


_FROM = {"cross_entropy": "softmax", "binary_cross_entropy_with_logits": "sigmoid"}


def watch(record: "Record") -> Iterator[Evidence]:
    for calls in by_line(needed(loss_calls(record), "loss calls")).values():
        squash = _FROM.get(calls[0].function)
        if squash is None:
            continue
        made = calls[0].input_made_by.lower()
        if all(call.log_probabilities for call in calls) and calls[0].function == "cross_entropy":
            yield _squashed_twice(calls, "log-probabilities", "open")
        elif all(call.probabilities for call in calls):
            sure = squash in made or squash == "softmax"
            yield _squashed_twice(calls, "probabilities", "proven" if sure else "likely")


def _squashed_twice(calls: "list[LossCall]", what: str, telling: Telling) -> Evidence:
    call = calls[0]
    lost = "the loss applies the same function again, so it cannot come near zero and its gradient is small"
    return Evidence(
        f"`{call.function}` received {what} in all {len(calls)} recorded calls (values from "
        f"{call.input_min or 0:.3g} to {call.input_max or 0:.3g}) where it expects raw scores: "
        + (lost if what == "probabilities" else "log_softmax is applied twice, which only costs time")
        + ".",
        telling=telling,
        where=at(call),
        numbers={"calls": len(calls), "input_min": call.input_min or 0.0, "input_max": call.input_max or 0.0},
        fix="Pass the raw output of the last layer to the loss; apply softmax or sigmoid for display only.",
    )
