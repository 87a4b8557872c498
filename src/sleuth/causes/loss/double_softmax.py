"""Probabilities go into a loss that expects logits: softmax or sigmoid is applied twice.

## What happens
Nothing crashes, the loss starts at exactly the right value, and accuracy climbs. `CrossEntropyLoss`
takes a log-softmax inside, so a softmax at the end of the model makes two. The inner one squeezes
every score into [0, 1]; the outer one then sees inputs at most 1 apart and can never be sure of
anything. With K classes the best loss a perfect model can reach is ln(1 + (K - 1)/e):

| classes | chance, ln K | floor after two softmaxes | highest probability it can give |
|---|---|---|---|
| 2 | 0.693 | 0.313 | 0.731 |
| 10 | 2.303 | 1.461 | 0.232 |
| 100 | 4.605 | 3.622 | 0.027 |
| 1000 | 6.908 | 5.909 | 0.0027 |

The gradient suffers too. At the start it is K times smaller than it should be, and on an example that
is confidently wrong (10 classes, 10 logits off) it is 0.0001 instead of 1.4, so mistakes are not
corrected. SGD shows the damage: a small net on the 8x8 digits, rate 0.1, had 96% training accuracy
after 20 epochs, its doubled twin 48%. Adam rescales the gradient and hides it: 97% against 96%, with
only the loss, 1.55 instead of 0.16, to give it away.

```python
self.head = nn.Sequential(nn.Linear(128, 10), nn.Softmax(dim=1))   # one
loss = nn.CrossEntropyLoss()(model(x), y)                          # two
```

The binary twin is `sigmoid` before `BCEWithLogitsLoss`: the loss starts at 0.724 on balanced labels
instead of 0.693, negatives can never cost less than 0.693, positives never less than 0.313.

`log_softmax` before `CrossEntropyLoss` is a harmless redundancy: taking it twice changes nothing.
A softmax on the *target* side (a teacher's soft labels), or inside attention, is right.

## How to tell
- **lint**: a softmax or sigmoid, in `forward` or on the way to the loss, whose result reaches
  `cross_entropy`, `CrossEntropyLoss` or `binary_cross_entropy_with_logits` as first argument, even
  through a variable.
- **probe**: every row handed to the loss is non-negative and sums to 1 (binary: every value lies
  strictly between 0 and 1). Raw logits practically never do that for a whole batch.
- **watch**: the loss settles just above the floor in the table while accuracy is good or still rising.
  Binary: it never goes below 0.313, and the sigmoid of what the loss received is never below 0.5.
- **refuted by**: one negative value among the numbers that the loss receives.

## How to fix
Let the model return logits, and turn them into probabilities only where a person or a threshold needs
them. Ranking is unaffected, so `argmax` needs no softmax at all.

```python
self.head = nn.Linear(128, 10)
loss = F.cross_entropy(model(x), y)
probabilities = model(x).softmax(dim=1)      # at prediction time only
```

If the model must output probabilities, change the loss instead: `log_softmax` with `NLLLoss`, or
`sigmoid` with `BCELoss`. After the repair retune the learning rate: the gradients grow by about K.

## Often mistaken for
- `lr-too-low`: ten times the rate also helps here, but no rate takes the loss below the floor.
- `logits-into-prob-loss`: the mirror image, where the softmax is missing; that loss goes negative or
  NaN, this one is too high and calm.
- `underpowered-model`: cannot memorise one batch and gets its labels wrong; with two softmaxes the
  labels of one batch come out right while the loss stays up.

## Sources
- karpathy-2018: the list of common mistakes; a softmax before a loss that wants logits is one of them.
- pytorch-cross-entropy: description of `input`; unnormalised logits are what the loss expects.
- pytorch-bce-logits: opening paragraph; the sigmoid layer is part of this loss.
"""

from collections.abc import Iterator

from sleuth.facts.flow import layer, makers
from sleuth.facts.losses import WANTS_LOGITS
from sleuth.facts.program import Program, clue, place
from sleuth.finding import Finding

SQUASHES = {
    "cross_entropy": {
        "torch.softmax",
        "torch.nn.functional.softmax",
        "torch.nn.Softmax",
        ".softmax",
    }
    | {"torch.sigmoid", "torch.nn.functional.sigmoid", "torch.nn.Sigmoid", ".sigmoid"},
    "binary_cross_entropy_with_logits": {
        "torch.sigmoid",
        "torch.nn.functional.sigmoid",
        "torch.nn.Sigmoid",
        ".sigmoid",
    }
    | {"torch.softmax", "torch.nn.functional.softmax", "torch.nn.Softmax", ".softmax"},
}


def lint(program: Program) -> Iterator[Finding]:
    for use in program.losses:
        for maker in makers(use.input):
            name = layer(maker)
            if use.name in WANTS_LOGITS and name in SQUASHES.get(use.name, ()):
                short = name.rpartition(".")[2]
                yield clue(
                    "error",
                    maker,
                    f"`{short}` here feeds `{use.name}` on line {place(use.call).line}, which applies its own: "
                    "the loss sees probabilities where it expects logits.",
                    fix=f"Return the raw scores; apply `{short}` only where probabilities are read.",
                )
