"""Weight decay, dropout or augmentation keeps the model from fitting its training data.

## What happens
Training loss stays high and *validation is as good or better*: the opposite of overfitting. The
penalty has won. Strong weight decay shrinks every weight until the output is nearly constant;
dropout of 0.8 in a narrow layer leaves too few units to compute with; augmentation may remove what
distinguishes the classes (flipping digits, rotating 6 into 9, cropping away the object). Stacked,
moderate regularisers become one strong one.

Decay hides behind names. `Adam(weight_decay=0.1)` adds the penalty to the gradient, where it is
rescaled like everything else; `AdamW(weight_decay=0.1)` shrinks weights by lr times 0.1 directly.
The numbers are not interchangeable. In scikit-learn it hides behind `C` (*smaller* is stronger),
`alpha`, `max_depth`, `min_samples_leaf`. And the printed training loss was computed with dropout
and augmentation on, so a gap to validation of the "wrong" sign is normal; a training loss that
stays high in eval mode is not.

Dropout has changed sides. TensorFlow 1, and many papers, give the share of units to *keep*;
PyTorch, Keras and Flax want the share to *drop*. A port that passes `keep_prob=0.8` unchanged
drops four units in five.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=10.0)
self.drop = nn.Dropout(0.9)
clf = LogisticRegression(C=1e-6)
```

## How to tell
- **experiment**: `no-regularisation` (decay 0, dropout off, no augmentation) fits a batch or a
  small subset that the original cannot, and the training loss falls clearly below its former
  plateau. Then switch the parts back on one by one.
- **lint**: a dropout of 0.9 or more (0.7 in several places); a share to keep (`keep_prob`) passed
  as the share to drop; decay of 0.1 or more with Adam, 0.5 with SGD, 2 with AdamW; a
  hand-written penalty of 0.1 or more; `C` of 1e-5 or less.
- **refuted by**: without any regularisation the training loss stays where it was.

## How to fix
Switch everything off, get to overfitting, then add back the least that closes the gap.

```python
decay = [p for p in model.parameters() if p.ndim >= 2]
plain = [p for p in model.parameters() if p.ndim < 2]          # biases and norms: no decay
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01},
                               {"params": plain, "weight_decay": 0.0}], lr=1e-3)
```

Strong settings are right in their place: decay of 0.05 to 0.3 with AdamW for vision transformers
trained long, heavy augmentation for self-supervised learning. Judge by the experiment, not by the
number.

## Often mistaken for
- `underpowered-model`: cannot fit either, and taking the regularisation away does not help.
- `dropout-ignores-mode`: dropout hurts evaluation because it is still on there.
- `lr-too-low`: training loss is high because it has not arrived yet; it is still falling.

## Sources
- goodfellow-2016-ch7: section 7.1, Parameter Norm Penalties, and 7.12, Dropout; both reduce
  effective capacity.
- loshchilov-2019: section 2; why decay and an L2 penalty differ under adaptive methods.
- karpathy-2019: the steps overfit and regularize; first fit the training set, then give some of it
  up.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.source.edits import bracketed
from sleuth.source.flow import ancestry, literal, parents, possible
from sleuth.source.interpreter.values import Call, Collection, Constant, Table, Value
from sleuth.source.program import Program, clue, rewrite
from sleuth.source.topics.cadence import setting
from sleuth.source.topics.modules import DROPOUT, applied, exact, settled

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.places.scene import Scene

JUDGED_BY = "held-out"
LOOKS_LIKE = {"stuck from the start": "rarely"}
PREDICTS = {"no-regularisation": "always", "same-batch": "usually"}


# Decay added to the gradient (an L2 penalty). Adam divides by the gradient's size and so makes it stronger;
# plain rates live with 0.1 for a linear model.
_COUPLED = dict.fromkeys(("Adam", "NAdam", "RAdam", "Adamax"), 0.1) | {"SGD": 0.5, "RMSprop": 0.1}
# Decay applied to the weights themselves, times the rate: recipes go up to 0.5, studies of grokking to 1.
_DECOUPLED = {"AdamW": 2.0}
# From 0.7 on a note, from 0.9 on at most a tenth of the units is left; video models live with 0.8.
_NOTABLE_DROPOUT, _CRUSHING_DROPOUT = 0.7, 0.9
# scikit-learn's inverse strength: smaller is stronger; grids start at 1e-4 or so.
_SMALLEST_C = 1e-5
_HAS_C = frozenset(
    "sklearn.linear_model.LogisticRegression sklearn.svm.SVC sklearn.svm.LinearSVC sklearn.svm.SVR "
    "sklearn.svm.LinearSVR".split()
)
_STRONGEST_PENALTY = 0.1  # times the sum of squares of ALL weights, beside a mean over examples
_FUNCTIONAL = ("torch.nn.functional.dropout", "torch.nn.functional.dropout2d", "torch.dropout")

NEEDS = "decay ropout penalty alpha= C= regular l2 L2 .pow .norm"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _decay(program)
    yield from _dropout(program)
    yield from _keeping(program)
    yield from _inverse_strength(program)
    yield from _penalty(program)


def _decay(program: Program) -> Iterator[Evidence]:
    for name, limit in (_COUPLED | _DECOUPLED).items():
        for call in program.calls(f"torch.optim.{name}"):
            if _is_ruled_out(call):
                continue
            for given in _decays(call):
                known = _from_the_command_line(program, given) or given
                number = exact(known)
                if number is None or number < limit or _is_one_of_many(given, call):
                    continue
                yield clue(
                    "proven" if number >= 10 * limit else "likely",
                    _written(known, call),
                    f"`{name}` with a weight decay of {number:g} pulls every weight towards zero more "
                    "strongly than most gradients push it away: the model will hardly fit even the "
                    "training data.",
                    fix="Start with 0 or 1e-4 (AdamW: 0.01) and raise it only against overfitting.",
                )


def _is_ruled_out(call: Call) -> bool:
    """`if settings["optimizer"] == "adam":`, and it is known to be something else."""
    for arm in call.context.arms:
        test = settled(arm.test)
        if arm.name == "if" and isinstance(test, Call) and test.op == "==" and len(test.args) == 2:
            wanted, given = (literal(part) for part in test.args)
            if isinstance(wanted, str) and isinstance(given, str) and wanted != given:
                return True
    return False


def _decays(call: Call) -> Iterator[Value]:
    """The optimizer's own setting and those of its groups."""
    if "weight_decay" in call.keywords:
        yield call.keywords["weight_decay"]
    groups = settled(call.argument(0, "params"))
    for group in groups.items if isinstance(groups, Collection) else ():
        table = settled(group)
        if isinstance(table, Table) and "weight_decay" in table.items:
            yield table.items["weight_decay"]


def _from_the_command_line(program: Program, given: Value) -> Value | None:
    """The default of the option that a setting is read from: `args.weight_decay`."""
    read = settled(given)
    if not isinstance(read, Call) or read.op[:1] != "@" or setting(program, read) is None:
        return None
    for option in program.calls(".add_argument"):
        names = [str(literal(flag)).lstrip("-").replace("-", "_") for flag in option.args]
        if read.op[1:] in names:
            return option.keywords.get("default")
    return None


def _is_one_of_many(given: Value | None, call: Call) -> bool:
    """A loop goes through several strengths, this one among them: a search, not a choice."""
    lists = [settled(loop.over) for loop in call.context.loops]
    return any(
        item is settled(given) for known in lists if isinstance(known, Collection) for item in known.items
    )


def _written(given: Value, call: Call) -> Value:
    """The line where the number stands, which may be a config far from where it is used."""
    origin = settled(given)
    return origin if isinstance(origin, Constant) and origin.node is not None else call


def _dropout(program: Program) -> Iterator[Evidence]:
    layers = [made for call in program.calls("()") if (made := applied(call)) and DROPOUT.match(made.op)]
    listed = [part for stack in program.calls("torch.nn.Sequential") for part in stack.args]
    layers += [part for part in listed if isinstance(part, Call) and DROPOUT.match(part.op)]
    uses = [(made, made.argument(0, "p")) for made in {id(made): made for made in layers}.values()]
    uses += [(call, call.argument(1, "p")) for call in program.calls(*_FUNCTIONAL)]
    strong = [
        (call, given, chance)
        for call, given in uses
        # Exactly 1 is no slip: it skips a branch on purpose.
        if (chance := exact(given)) and _NOTABLE_DROPOUT <= chance < 1 and not _is_one_of_many(given, call)
        if not _kept(program, given, call)
    ]
    for call, given, chance in strong:
        # Several strong ones multiply: three in four units gone twice leaves one in sixteen.
        telling: Telling = "likely" if chance >= _CRUSHING_DROPOUT or len(strong) > 1 else "open"
        yield clue(
            telling,
            _written(given, call) if given is not None else call,
            f"A dropout of {chance:g} leaves {1 - chance:.0%} of the units: too few to learn with. "
            "(PyTorch takes the share to DROP, not the share to keep.)",
            fix="Use 0.1 to 0.5.",
        )


_HALF = 0.5  # what keeps half drops half; what "keeps" less is most likely a share to drop, misnamed
# Who takes a share to drop: at which place, under which name.
_DROPS = (
    dict.fromkeys(
        (
            *(f"torch.nn.{name}" for name in "Dropout Dropout1d Dropout2d Dropout3d".split()),
            *("torch.nn.AlphaDropout", "torch.nn.FeatureAlphaDropout"),
        ),
        (0, "p"),
    )
    | dict.fromkeys(
        (
            *(f"torch.nn.functional.dropout{axes}" for axes in ("", "1d", "2d", "3d")),
            *("torch.nn.functional.alpha_dropout", "torch.nn.functional.feature_alpha_dropout"),
            *("torch.dropout", "torch.alpha_dropout", "torch.feature_dropout"),
        ),
        (1, "p"),
    )
    | dict.fromkeys(
        ("keras.layers.Dropout", "tensorflow.keras.layers.Dropout", "flax.linen.Dropout", "flax.nnx.Dropout"),
        (0, "rate"),
    )
    | dict.fromkeys(
        (
            *(f"torch.nn.{name}" for name in "RNN LSTM GRU MultiheadAttention Transformer".split()),
            *("torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer"),
        ),
        (-1, "dropout"),
    )
    | {"torch.nn.functional.scaled_dot_product_attention": (4, "dropout_p")}
)


def _kept(program: Program, given: Value | None, call: Call) -> str:
    """The name by which a share to keep is handed over, if it is one."""
    if not program.holds("keep", "Keep", "kept", "retain"):
        return ""
    from sleuth.causes.hyperparameters.over_regularized.kept_share import kept, mentions_keeping

    if not any(map(mentions_keeping, program.sources)):
        return ""
    return kept(given, _argument(call, given))


def _keeping(program: Program) -> Iterator[Evidence]:
    """`nn.Dropout(keep_prob)`: the share to keep, where the share to drop is wanted."""
    for call in program.calls(*_DROPS):
        given = call.argument(*_DROPS[call.op])
        written = _argument(call, given)
        name = _kept(program, given, call)
        chances = _chances(program, given) if name else [0.0]
        if chances is not None and max(chances) <= _HALF:
            continue
        share = (
            f" It is {max(chances):g}, so {1 - max(chances):.0%} of the units are left." if chances else ""
        )
        yield clue(
            "proven" if chances else "likely",
            call,
            f"`{name}` is, by its name, the share of units to keep, but is passed as the share to "
            f"DROP.{share}",
            fix=f"Pass `1 - {ast.unparse(written) if written else name}`.",
            edits=rewrite(written, call.source, f"1 - {bracketed(written)}", safe=False)
            if isinstance(written, ast.expr)
            else (),
        )


def _chances(program: Program, given: Value | None) -> list[float] | None:
    """The numbers that a value may be; None where not all are known."""
    default = _from_the_command_line(program, given) if given is not None else None
    numbers = [exact(option) for option in possible(default or given)]
    known = [one for one in numbers if one is not None]
    return known if known and len(known) == len(numbers) else None


def _argument(call: Call, given: Value | None) -> ast.expr | None:
    """An argument as it is written in the call."""
    node = call.node
    if given is None or not isinstance(node, ast.Call):
        return None
    if any(isinstance(part, ast.Starred) for part in node.args):
        return None
    for name, value in call.keywords.items():
        if value is given:
            return next((entry.value for entry in node.keywords if entry.arg == name), None)
    places = [place for place, value in enumerate(call.args) if value is given]
    return node.args[places[0]] if len(places) == 1 and places[0] < len(node.args) else None


def _inverse_strength(program: Program) -> Iterator[Evidence]:
    for call in program.calls(*sorted(_HAS_C)):
        number = exact(call.keywords.get("C"))
        if number is None or _is_one_of_many(call.keywords["C"], call):
            continue
        if 0 < number <= _SMALLEST_C:
            yield clue(
                "likely",
                _written(call.keywords["C"], call),
                f"`C={number:g}` is the inverse of the penalty: so small a value pushes all coefficients "
                "to zero.",
                fix="Start with C=1 and search upwards and downwards from there.",
            )


def _penalty(program: Program) -> Iterator[Evidence]:
    """`loss + 10 * sum(p.pow(2).sum() for p in model.parameters())`: decay written by hand."""
    for event in program.training.of("backward"):
        for value in ancestry(event.about, 120):
            if not isinstance(value, Call) or value.op != "*" or len(value.args) != 2:
                continue
            for strength, term in (value.args, value.args[::-1]):
                number = exact(strength)
                if number is not None and number >= _STRONGEST_PENALTY and _is_norm_of_weights(term):
                    yield clue(
                        "likely",
                        _written(strength, value),
                        f"A penalty of {number:g} times the norm of all weights outweighs the loss: the "
                        "model is pushed towards a constant output.",
                        fix="Use 1e-4 or less, or the optimizer's weight_decay.",
                    )


def _is_norm_of_weights(term: Value) -> bool:
    """A sum over all parameters of their squares or absolute values, with nothing else in it."""
    made_from = ancestry(term, 40, _numbers_behind)
    names = {value.op for value in made_from if isinstance(value, Call)}
    walks = not names.isdisjoint({".parameters", ".named_parameters"})
    squares = not names.isdisjoint(
        {".pow", "**", ".square", ".norm", "torch.norm", ".abs", "torch.sum", ".sum"}
    )
    return walks and squares and names.isdisjoint({"()", "/", "-", ".mean", "torch.mean"})


# What is asked of weights without a look at their numbers: `torch.ones(n, device=weight.device)`.
_FACTS = frozenset("@device @dtype @shape .size .dim .numel".split())


def _numbers_behind(value: Value) -> tuple[Value, ...]:
    return () if isinstance(value, Call) and value.op in _FACTS else parents(value)


HEAVY, HEAVY_DECOUPLED = 0.02, 0.3  # weight decay far above the usual 1e-4 to 5e-3, and AdamW's 0.01 to 0.1

FITTED = 0.1  # of the loss is left: what it costs beyond is what regularisation is there for


def experiment(trials: "Trials") -> Iterator[Evidence]:
    optimizer = trials.optimizer
    decay = float(optimizer.settings.get("weight_decay") or 0) if optimizer is not None else 0.0
    # Dropout always costs training loss; only a run that does not fit, or a heavy hand, is a fault.
    heavy = decay >= (HEAVY_DECOUPLED if optimizer is not None and optimizer.type == "AdamW" else HEAVY)
    heavy = heavy and trials.course is not None and trials.course.left > FITTED
    if not trials.yes("no-regularisation") or not (trials.poor or heavy):
        return
    where = Where(optimizer.path or None, optimizer.line or None) if optimizer is not None and decay else None
    yield Evidence(
        "The training loss stays high, and without weight decay, dropout and label smoothing it falls "
        f"({trials.figures('no-regularisation')}).",
        "proven",
        where,
        {"weight_decay": decay},
        fix="Reduce the regularisation until the training loss falls; add it back only against overfitting.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import where_set

    return where_set("weight_decay", r"decay|\bwd\b|l2|reg", scene.record, scene.sources)
