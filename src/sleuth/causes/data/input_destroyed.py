"""Preprocessing removed the signal: random noise would train and score just as well.

## What happens
The tensors look alive: right shape, sane mean and std, different in every row. They only have
no relation to the label any more. Typical ways: a `reshape` that should have been a `permute`,
padding that pushes the text out of the window, truncation that keeps the boilerplate at the front,
a crop that misses the object, a tokenizer whose vocabulary does not match (nearly everything
becomes "unknown"), a normalisation with the wrong constants followed by a clip to 0..1, or an
augmentation so strong that a person could not name the class.

What makes it nasty is that the training loss can still fall to zero. A network large enough
memorises noise: a 64-64-10 network on 1400 rows of pure Gaussian noise reached 100% training
accuracy in 100 epochs, and 10% (chance) on new rows. Falling loss is no proof that the input
carries anything. Only a comparison with noise is.

## How to tell
- **probe**: 98% or more of all input values are one value (padding, the unknown token, a clipped
  range), or no output depends on any input feature; or every example has the same mean and std,
  as if normalised by itself, and the nearest example has the same label no oftener than by chance.
- **experiment**: noise-inputs. If the held-out score with noise equals the score with your data,
  your data says nothing to this model. Training loss alone decides nothing.
- **refuted by**: held-out performance clearly better than with noise inputs.

## How to fix
Bisect the pipeline. Fit a tiny model, or look with your own eyes, after each stage; the stage
after which the task becomes impossible is the culprit. The most telling place is the last one:

```python
x, y = next(iter(train_loader))
print(x.shape, x.dtype, x.min(), x.max(), (x == 0).float().mean())
print([vocab[i] for i in x[0].tolist()])       # or imshow(x[0].permute(1, 2, 0))
print(y[0])                                    # could YOU tell y from x?
```

If the raw data has no signal either, no fix exists: that is a question about the task.

## Often mistaken for
- `labels-misaligned`: inputs are intact, but belong to other labels; look at pairs, not at x.
- `inputs-constant`: the simplest special case, no variation at all.
- `over-regularized`: weaker augmentation brings the signal back, so it was never lost.

## Sources
- karpathy-2019: section 2, "visualize just before the net" and the input-independent baseline.
- ivanov-2017: part I, item 2: feed random numbers and see whether the error behaves the same.
- zhang-2017: section 2, networks that fit random labels and random pixels in training.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene

CONSEQUENCE_OF = "dead-relu detached-graph inputs-constant nonfinite-input zero-init"
GIVES_WAY_TO = "anything"
UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"stuck from the start": "even", "constant output": "rarely"}
PREDICTS = {"noise-inputs": "always", "shuffled-labels": "usually", "same-batch": "even"}

NEARLY_ALL = 0.98  # of all values are one value: padding, the unknown token, a clipped range

# Where tokens are looked up: a batch of real text uses a good part of a small vocabulary, and its commonest
# word is far from making up most of it.
FEWEST_ROWS, FEWEST_TOKENS = 16, 256
FEW, MOSTLY = 0.1, 0.7


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for part in bench.data.inputs:
        if bench.data.may_be_constant(part):
            continue
        if part.top_share >= NEARLY_ALL and part.examples > 1 and part.features > 1:
            yield Evidence(
                f"{part.top_share:.1%} of all values of input {part.name} are {part.top_value:g}: "
                "padding, an unknown token or a clipped range is nearly all the model sees.",
                telling="likely",
                numbers={"share": part.top_share, "value": part.top_value},
                fix="Undo the preprocessing for one example and look at it; compare with the raw file.",
            )
    if bench.failure:
        return
    yield from _few_tokens(bench)
    yield from _leveled(bench)
    reach = bench.reach
    if reach.features and reach.ignored == reach.features:
        yield Evidence(
            f"No output depends on any of the {reach.features} input features: the gradient of the output "
            "with respect to the input is exactly zero.",
            telling="likely",
            numbers={"features": reach.features, "ignored": reach.ignored},
            fix="Look for a multiplication by zero, a mask that covers everything, or an input that is "
            "overwritten.",
        )


def _leveled(bench: "Workbench") -> Iterator[Evidence]:
    """Each example normalised by itself, and nothing left that goes with its label."""
    from sleuth.measure.workbench import NotApplicable

    try:
        seen = bench.neighbours
    except NotApplicable:
        return
    if seen.leveled and seen.like_chance:
        yield Evidence(
            "Every example has the same mean and standard deviation, so each was normalised by itself, "
            f"and the nearest of {seen.rows} has the same label in {seen.agreement:.1%} of cases, where "
            f"chance gives {seen.chance:.1%}: if the level or scale of an example matters for its label, "
            "that information is lost.",
            telling="likely",
            numbers={"agreement": seen.agreement, "chance": seen.chance},
            fix="Normalise all examples with one mean and standard deviation, those of the training set.",
        )


def _few_tokens(bench: "Workbench") -> Iterator[Evidence]:
    """A vocabulary of which the batch uses next to nothing: the tokens were lost on the way."""
    from torch import nn

    tables = [m.num_embeddings for m in bench.subject.model.modules() if isinstance(m, nn.Embedding)]
    for part in bench.data.inputs:
        rows = max((size for size in tables if size > part.maximum), default=0)
        tokens = part.examples * part.features
        if part.looks != "tokens" or part.distinct is None or rows < FEWEST_ROWS or tokens < FEWEST_TOKENS:
            continue
        # Ones and zeros beside tokens of the same length say where there are any.
        marks = part.maximum <= 1 and any(
            other is not part and other.looks == "tokens" and other.features == part.features
            for other in bench.data.inputs
        )
        if marks or bench.data.may_be_constant(part):
            continue
        if part.distinct <= max(3, FEW * rows) and part.top_share >= MOSTLY:
            yield Evidence(
                f"Of a vocabulary of {rows}, the {tokens} tokens of a batch are {part.distinct} different "
                f"ones, and {part.top_share:.0%} of them are {part.top_value:g}: the words were lost in "
                "tokenisation.",
                telling="likely",
                numbers={"rows": rows, "distinct": part.distinct, "share": part.top_share},
                fix="Print one text, its tokens, and the tokens decoded back into text.",
            )


def experiment(trials: "Trials") -> Iterator[Evidence]:
    if not trials.yes("noise-inputs") or trials.yes("same-batch") or trials.yes("lr×10"):
        return
    if trials.yes("shuffled-labels") is False or not trials.poor or not trials.had_its_time:
        return
    yield Evidence(
        f"Training on noise instead of the inputs does as well ({trials.figures('noise-inputs')}), though "
        "one batch can be memorised: what reaches the model carries no information about the target.",
        "likely",
        fix="Print and plot what the model receives, after all preprocessing.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
