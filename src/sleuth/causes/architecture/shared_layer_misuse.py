"""Weight-shared branches are made to differ by dropout masks or batch statistics.

## What happens
Sharing the weights is not sharing the function. Two passes of a Siamese encoder draw two dropout
masks: the *same* input through dropout 0.5 gave two vectors with a cosine similarity of 0.50
(0.90 at dropout 0.1). A contrastive or verification loss then asks identical items to be close
while the layer keeps pushing them apart, and the distance between true pairs cannot reach zero in
training.

BatchNorm adds its own: each branch is normalised by its own batch in training, and both write
into one running average. With branch A around 0 and branch B around 4 (spread 1), the running
mean ended at 2.1 and the variance at 1.0, so in eval mode the branches came out at -2.1 and +1.9,
while in training each was at 0. A mean of two distributions describes neither.

The opposite slip is branches meant to be shared that are copies (`copy.deepcopy`, or two
constructors): they start equal and drift apart. Deliberate two-mask designs are fine: SimCSE uses
dropout noise as its only augmentation, and MC dropout wants the spread.

## How to tell
- **lint**: one BatchNorm behind two layers of a network, at two depths; an encoder that ends in
  strong Dropout, called on two inputs whose embeddings are then compared. Separate passes through
  a BatchNorm alone are left alone: many recipes want them.
- **probe**: in train mode, feed the same example through both branches: outputs should agree.
  Compare per-branch input mean and spread at each shared BatchNorm.
- **refuted by**: in train mode identical inputs to both branches give identical outputs.

## How to fix
Pass both branches through in one call (one set of statistics), and use a norm without batch
state.
```python
z = encoder(torch.cat([a, b]))          # one batch, one set of statistics
za, zb = z.chunk(2)
```
For truly different domains give each its own BatchNorm (weights shared, norms apart), or
LayerNorm. Drop dropout in a metric-learning encoder, or put it in the head behind the comparison.
Recurrent "variational" dropout: draw the mask once per sequence and reuse it.

## Often mistaken for
- `train-mode-eval`: random outputs at evaluation because the mode was not switched.
- `norm-batch-of-one`: statistics too noisy, and not from two populations.
- `dropout-ignores-mode`: outputs still differ between two calls in eval mode.

## Sources
- ioffe-2015: section 3.1, that normalisation uses the statistics of the batch given and
  population averages at test time.
- gao-2021: section 3, two dropout masks on one sentence used deliberately as a positive pair.
- srivastava-2014: section 4, a fresh mask for every presentation of a case.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.facts.flow import ancestry, layer, possible
from sleuth.facts.interpreter.values import Call, Value
from sleuth.facts.program import Program, clue, place
from sleuth.facts.topics.modes import excludes, parts
from sleuth.facts.topics.modules import (
    BATCH_NORM,
    DROPOUT,
    Uses,
    affine,
    applied,
    exact,
    module_around,
    settled,
    sole_maker,
    uses,
)
from sleuth.facts.torch_api import is_module
from sleuth.finding import Finding, Where

if TYPE_CHECKING:
    from sleuth.facts.bench import Bench


# Operations that ask how far apart two embeddings are.
_COMPARES = frozenset(
    "pairwise_distance cosine_similarity PairwiseDistance CosineSimilarity cosine_embedding_loss cdist dist "
    "triplet_margin_loss CosineEmbeddingLoss TripletMarginLoss TripletMarginWithDistanceLoss".split()
)
_STRONG = 0.3  # share of units dropped from which two passes of one input are far apart


def lint(program: Program) -> Iterator[Finding]:
    yield from _one_norm_for_two_layers(program)
    yield from _dropout_before_a_comparison(program)


def _one_norm_for_two_layers(program: Program) -> Iterator[Finding]:
    """A single BatchNorm behind two layers: one running mean and variance for two distributions."""
    seen: dict[tuple[int, int], Call] = {}
    for call in program.calls("()"):
        norm = applied(call)
        if norm is None or not BATCH_NORM.match(norm.op) or module_around(call) is None or not call.args:
            continue
        key = (id(norm), id(call.context.sites[-1]))
        before = seen.setdefault(key, call)
        behind = _layer_behind(call)
        if before is call or behind is None or excludes(before.context, call.context):
            continue
        first = _layer_behind(before)
        if first is not None and first is not behind and _follows(call, before):
            yield clue(
                "error",
                call,
                f"This BatchNorm (made on line {place(norm).line}) already normalised another layer's output "
                f"on line {place(before).line}: both write into one running mean and variance, which fits "
                "neither in eval mode.",
                fix="Give each layer a BatchNorm of its own.",
            )


def _layer_behind(call: Call) -> Value | None:
    """The layer whose output is normalised."""
    found = affine(sole_maker(call.args[0]))
    return found.weight if found is not None else None


def _follows(call: Call, before: Call) -> bool:
    """The second use lies behind the first: two depths of one network, not two branches of the same kind."""
    return any(value is before for value in ancestry(call.args[0], 400))


def _dropout_before_a_comparison(program: Program) -> Iterator[Finding]:
    """Embeddings of two inputs, made by one encoder that ends in Dropout, are compared with each other."""
    users = uses(program)
    for pair in _pairs(program):
        masks = [sole_maker(call) for call in pair]
        drops = [applied(mask) for mask in masks]
        if not all(drop is not None and DROPOUT.match(drop.op) for drop in drops):
            continue
        chance = exact(drops[0].argument(0, "p")) if drops[0] is not None else None
        compared = _comparisons(users, pair[0]) & _comparisons(users, pair[1])
        if compared and (0.5 if chance is None else chance) >= _STRONG:
            where = masks[1]
            assert where is not None
            yield clue(
                "warning",
                where,
                "Two passes through this shared encoder end in Dropout, with a new mask each, and their "
                "results are compared: equal inputs come out far apart, so the distance cannot become small.",
                fix="Take the Dropout out of the shared encoder, or put it behind the comparison.",
            )


def _pairs(program: Program) -> Iterator[list[Call]]:
    """Modules applied to two different inputs within one function."""
    groups: dict[tuple[int, object], list[Call]] = {}
    for call in program.calls("()"):
        if is_module(call.receiver) and call.args and call.result is not None:
            here = id(call.context.sites[-1]) if call.context.sites else None
            groups.setdefault((id(call.receiver), here), []).append(call)
    for calls in groups.values():
        encoder = calls[0].receiver
        if len(calls) < 2 or encoder is None or settled(calls[0].args[0]) is settled(calls[1].args[0]):
            continue
        if any(isinstance(piece, Call) and DROPOUT.match(piece.op) for piece in parts(encoder)):
            yield calls[:2]


def _comparisons(users: Uses, call: Call) -> set[int]:
    """The comparisons that get an embedding, directly or through the value it stands for."""
    return {
        id(user)
        for value in (call, *possible(call))
        for user in users.of(value)
        if layer(user).rpartition(".")[2] in _COMPARES
    }


APART = (
    1.0  # distance of the branches' means in spreads: batch statistics of one branch are wrong for the other
)


def probe(bench: "Bench") -> Iterator[Finding]:
    for part in bench.first.shared:
        if part.norms and part.gap > APART:
            yield Finding(
                f"`{part.path}` is called {part.calls} times in one step and normalises each call by its own batch, though "
                f"the calls' inputs lie {part.gap:.1f} spreads apart: the branches are made alike, and the running "
                "average fits neither.",
                severity="warning",
                credence=0.6,
                where=Where(module=part.path or None),
                numbers={"calls": part.calls, "gap": part.gap},
                fix="Pass the branches through in one concatenated batch, or use a norm without batch statistics.",
            )
        elif part.dropouts and part.calls == 2:
            yield Finding(
                f"`{part.path}` is called twice in one step with its own dropout mask each time: two equal inputs come out "
                "different.",
                severity="note",
                credence=0.25,
                where=Where(module=part.path or None),
                numbers={"calls": part.calls, "dropouts": part.dropouts},
                fix="Fine as augmentation; where branches are compared, share one mask or leave dropout out.",
            )
