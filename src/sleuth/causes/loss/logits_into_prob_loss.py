"""Raw logits reach a loss that expects probabilities or log-probabilities.

## What happens
`NLLLoss` does not compute a logarithm. It picks the entry of the true class and flips its sign.
Give it raw logits and the loss becomes "minus the true logit": it starts near 0 instead of ln K,
turns negative, and falls for ever because the model only has to make numbers larger. No class
competes with another; accuracy may rise for a while, as each class learns its own average input,
and then stalls. Softmax *without* the log is the timid version: the loss lives between -1 and 0,
starts at -1/K, and still trains a little.

`KLDivLoss` wants log-probabilities as its first argument. Giving it plain probabilities makes two
identical distributions of [0.5, 0.5] cost -1.19 instead of 0. `BCELoss` is the polite one: it
raises an error as soon as an input leaves [0, 1]. It stays silent when the model ends in something
that happens to fit, such as a clamp, and then a confident mistake costs exactly 100, because the
log is clipped there. A hand-written `-torch.log(out)` gives NaN for every negative logit.

```python
out = model(x)                                 # logits
loss = F.nll_loss(out, y)                      # wants log-probabilities
loss = F.kl_div(out.softmax(1), teacher)       # wants log-probabilities too, as ctc_loss does
```

## How to tell
- **lint**: the first argument of `nll_loss` comes from a layer with no `log_softmax` after it, or
  that of `kl_div` from `softmax`, or `torch.log` is applied to a model's raw output.
- **probe**: rows given to `NLLLoss` or `KLDivLoss` whose exponentials do not sum to 1; inputs of
  `BCELoss` that were clamped rather than squashed, or that it refuses.
- **watch**: the loss crosses zero and keeps sinking in a nearly straight line, or NaN in the first
  steps of a loss with a bare log.
- **experiment**: corrected from outside, what reaches the loss is first made into
  (log-)probabilities; the loss becomes positive and falls.
- **refuted by**: `logsumexp` over the class axis of the loss input is 0 for every row (to
  rounding).

## How to fix
Use the loss that accepts logits; it is also the one that stays finite.

```python
loss = F.cross_entropy(out, y)                              # instead of nll_loss
loss = F.binary_cross_entropy_with_logits(out, y)           # instead of binary_cross_entropy
loss = F.kl_div(out.log_softmax(1), teacher.softmax(1), reduction="batchmean")
```

`log_softmax` followed by `NLLLoss` is a correct pair and needs no change. A negative loss is no
error by itself either: Gaussian likelihoods, policy gradients and Wasserstein critics go below
zero.

## Often mistaken for
- `double-softmax`: there the squashing happens twice, and the loss is stuck high instead of
  sinking.
- `loss-sign-flipped`: also goes to minus infinity, but accuracy falls below chance with it.
- `unsafe-log-div`: the argument of the log is meant to be a probability and merely touches zero.

## Sources
- pytorch-nll: description of `input`; log-probabilities are expected, to be had from a LogSoftmax
  layer.
- pytorch-kldiv: note on the input; the first argument is expected in log space.
- pytorch-bce: the note below the formula; log outputs are clamped at -100.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, by_line, loss_calls, needed, raised
from sleuth.source.edits import Edits, renamed
from sleuth.source.flow import keeps_numbers, layer, root, subject
from sleuth.source.interpreter.values import Call, Unknown, Value
from sleuth.source.losses import LossUse
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.activations import added_conditionally, always, kind, origins
from sleuth.source.topics.stand_ins import output_of
from sleuth.torch_losses import WANTS_LOG_PROBABILITIES, WANTS_LOGITS

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "labels-out-of-range"
CHANGES_LOSS = True
LOOKS_LIKE = {"falls, then explodes": "usually"}
INVITED_BY = {"softmax|sigmoid": 3.0}
RAISES = {
    "elements of input should be between 0 and 1": (
        "BCELoss was given raw logits; it expects probabilities. Use BCEWithLogitsLoss."
    ),
}
PREDICTS = {"same-batch": "usually", "lr×0.1": "even"}


# What certainly is no log-probability, and what certainly may leave [0, 1].
_NO_LOG_PROBABILITY = ("raw", "softmax", "sigmoid", "relu", "tanh", "activation")
_NO_PROBABILITY = ("raw", "relu", "tanh", "activation", "log_softmax", "logsigmoid")
_SCALES = ("/", "div", "torch.div")
_LOGS = ("torch.log", ".log", "torch.log2", "torch.log10", "jax.numpy.log")

NEEDS = "nll NLL kl_div KLDiv ctc CTC binary_cross BCE log"


def lint(program: Program) -> Iterator[Evidence]:
    for use in program.losses:
        wanted, culprits = _misfits(program, use)
        for maker in culprits:
            if added_conditionally(program, maker):
                continue
            # Raw scores are right in the model and wrong for this loss; a wrong squashing is wrong itself.
            at = use.call if kind(maker) == "raw" else maker
            yield clue(
                "proven" if any(made is maker for made in origins(use.input, _SCALES)[0]) else "likely",
                at,
                f"`{use.name}` on {line_of(use.call, at)} expects {wanted} and gets {_described(maker)} "
                f"on {line_of(maker, at)}.",
                fix=_FIXES[use.name],
                edits=_taking_scores(use) if kind(maker) == "raw" else (),
            )
        if use.name == "kl_div" and not culprits:
            yield from _scaled_scores(program, use)
    for log in program.calls(*_LOGS):
        yield from _log_of_scores(program, log)


# The loss of the same home that takes raw scores, as class and as function.
_TAKES_SCORES = {
    "nll_loss": ("CrossEntropyLoss", "cross_entropy"),
    "binary_cross_entropy": ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits"),
}


def _taking_scores(use: LossUse) -> Edits:
    """Not safe: what reads the model's output as a probability elsewhere goes on doing so."""
    names = _TAKES_SCORES.get(use.name)
    if names is None:
        return ()
    return renamed(use.call, names[1]) if use.made is None else renamed(use.made, names[0])


def _scaled_scores(program: Program, use: LossUse) -> Iterator[Evidence]:
    """Distillation without the log-softmax: the student's scores enter as they are, the teacher's do not."""
    given, scale = _scaled(use.input)
    softened = [call for call in always(use.target, ("softmax",)) if call.op != "[]"]
    if not softened or not isinstance(given, Call | Unknown):
        return
    # Divided by the temperature that the target's scores are divided by, it is no log-probability any more.
    same_scale = scale is not None and any(
        root(_scaled(subject(target))[1]) is root(scale) for target in softened
    )
    squashed_elsewhere = any(
        other.name in WANTS_LOGITS and root(other.input) is given for other in program.losses
    )
    if same_scale or (squashed_elsewhere and isinstance(given, Call) and given.op == "()"):
        yield clue(
            "proven" if same_scale and squashed_elsewhere else "likely",
            use.call,
            "`kl_div` expects log-probabilities and gets raw "
            f"scores{', divided by a temperature,' if scale is not None else ''} while its target is a "
            "softmax: the value is not a divergence and may be negative.",
            fix=_FIXES["kl_div"],
        )


def _scaled(value: Value | None) -> tuple[Value | None, Value | None]:
    """The scores and what divides them, seen through changes of shape."""
    made = root(value)
    while isinstance(made, Call) and keeps_numbers(made) and made.op != "[]":
        made = root(subject(made))
    if isinstance(made, Call) and made.op.lstrip(".") in _SCALES:
        parts = made.args if made.receiver is None else (made.receiver, *made.args)
        if len(parts) >= 2:
            return root(parts[0]), parts[1]
    return made, None


_FIXES = {
    "nll_loss": "Use `cross_entropy` on the raw scores, or end the model with `log_softmax`.",
    "ctc_loss": "End the model with `log_softmax` over its last axis.",
    "kl_div": "Give `log_softmax` of the scores as the first argument, `softmax` of the target as second.",
    "binary_cross_entropy": "Use `binary_cross_entropy_with_logits` on the raw scores.",
}


def _misfits(program: Program, use: LossUse) -> tuple[str, list[Call]]:
    assume = partial(output_of, program)
    if use.name in WANTS_LOG_PROBABILITIES:
        found = always(use.input, _NO_LOG_PROBABILITY, assume=assume)
        # A temperature makes no log-probabilities of raw scores.
        return "log-probabilities", found or always(use.input, ("raw",), _SCALES, assume)
    if use.name == "binary_cross_entropy":
        return "probabilities", always(use.input, _NO_PROBABILITY, assume=assume)
    return "", []


def _described(maker: Call) -> str:
    name = layer(maker).rpartition(".")[2].lstrip(".")
    if kind(maker) == "raw":
        return f"the raw scores of the `{name}`"
    return f"the output of the `{name}`"


def _log_of_scores(program: Program, log: Call) -> Iterator[Evidence]:
    """`-torch.log(out[rows, y])` on a layer's own output: NaN for every negative score."""
    inner: Value | None = log.receiver if log.receiver is not None else next(iter(log.args), None)
    makers = always(inner, ("raw", "tanh"))
    if makers and log.context.grad and not added_conditionally(program, makers[0]):
        yield clue(
            "proven",
            log,
            f"The log is taken of {_described(makers[0])} on {line_of(makers[0], log)}, which are "
            "negative about half of the time: the result is NaN there.",
            fix="Use `log_softmax` or `logsigmoid` of the scores, or a loss that takes logits.",
        )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    if "between 0 and 1" in bench.failure:
        yield Evidence(
            "The binary loss rejects its input because it is not between 0 and 1: it expects "
            f"probabilities and gets raw scores. The error: {bench.failure}.",
            telling="proven",
            fix="Use `binary_cross_entropy_with_logits`, or put a sigmoid before this loss.",
        )
    if bench.failure:
        return
    for use in bench.first.losses:
        raw = (
            use.name in WANTS_LOG_PROBABILITIES
            and not use.log_rows_sum_to_one
            and use.squash != "log_softmax"
        )
        clamped = use.name == "binary_cross_entropy" and use.squash == "clamp"
        if raw and len(use.input_shape) >= 2:
            yield Evidence(
                f"{use.name} expects log-probabilities, and the exponentials of what it gets do not sum "
                "to 1 in a row: raw scores make this loss fall without limit while nothing is learned.",
                telling="proven",
                where=use.where,
                numbers={"loss": use.mean_value},
                fix="Put `log_softmax` over the class axis before it, or use `cross_entropy` on the raw "
                "scores.",
            )
        if clamped:
            yield Evidence(
                "The input of binary_cross_entropy was clamped to 0..1 instead of passed through a "
                "sigmoid: clamped values get no gradient.",
                telling="likely",
                where=use.where,
                numbers={"loss": use.mean_value},
                fix="Use `binary_cross_entropy_with_logits` on the raw scores.",
            )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.logits_as_log_probabilities(world)


_ABOVE = 0.01  # a log-probability is at most 0; an added epsilon lifts it by less than this


def watch(record: "Record") -> Iterator[Evidence]:
    refused = raised(record, "all elements of input should be between 0 and 1")
    if refused is not None:
        yield Evidence(
            "The run stopped because `binary_cross_entropy` was given values outside 0 to 1: raw scores, "
            "where it expects probabilities.",
            telling="proven",
            where=refused,
            fix="Use `binary_cross_entropy_with_logits`.",
        )
    for calls in by_line(needed(loss_calls(record), "loss calls")).values():
        call = max(calls, key=lambda call: call.input_max or 0.0)
        if call.function in WANTS_LOG_PROBABILITIES and (call.input_max or 0.0) > _ABOVE:
            yield Evidence(
                f"`{call.function}` takes log-probabilities, which are never above 0; it received values "
                f"up to {call.input_max or 0:.3g}. With raw scores the loss falls without limit as they "
                "grow.",
                telling="proven",
                where=at(call),
                numbers={"input_max": call.input_max or 0.0, "input_min": call.input_min or 0.0},
                fix="Put `log_softmax(..., dim=1)` before it, or use `cross_entropy` on the raw scores.",
            )
