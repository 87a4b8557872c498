"""Weight-shared branches are made to differ by dropout masks or batch statistics.

## What happens
Sharing the weights is not sharing the function. Two passes of a Siamese encoder draw two dropout
masks: the *same* input through dropout 0.5 gave two vectors with a cosine similarity of 0.50
(0.90 at dropout 0.1). A contrastive or verification loss then asks identical items to be close
while the layer keeps pushing them apart, and the distance between true pairs cannot reach zero in
training.

BatchNorm adds its own: each branch is normalised by its own batch in training, and both write
into one running average. With branch A around 0 and branch B around 4 (std 1), the running
mean ended at 2.1 and the variance at 1.0, so in eval mode the branches came out at -2.1 and +1.9,
while in training each was at 0. A mean of two distributions describes neither.

The opposite slip is branches meant to be shared that are copies (`copy.deepcopy`, or two
constructors): they start equal and drift apart. Deliberate two-mask designs are fine: SimCSE uses
dropout noise as its only augmentation, and MC dropout needs the variance.

## How to tell
- **lint**: one BatchNorm behind two layers of a network, at two depths; an encoder that ends in
  strong Dropout, called on two inputs whose embeddings are then compared; twin inputs that share
  the weights and not the BatchNorm, or have Dropouts of different strength. Separate passes through
  a BatchNorm alone are left alone: many recipes want them.
- **probe**: in train mode, feed the same example through both branches: outputs should agree.
  Compare per-branch input mean and std at each shared BatchNorm.
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

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.flow import ancestry, layer, possible
from sleuth.source.interpreter.values import Call, Collection, Unknown, Value
from sleuth.source.parsed_file import Source, called, walked
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.modes import excludes, has_weights, parts
from sleuth.source.topics.modules import (
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
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene


# Operations that ask how far apart two embeddings are.
_COMPARES = frozenset(
    "pairwise_distance cosine_similarity PairwiseDistance CosineSimilarity cosine_embedding_loss cdist dist "
    "triplet_margin_loss CosineEmbeddingLoss TripletMarginLoss TripletMarginWithDistanceLoss".split()
)
# What tells twins apart: a number, or one of two words that say nothing of the kind.
_TWIN = Pattern(r"(?<![a-z])(left|right|first|second|one|two|[ablr])(?![a-z])|[12]$")
_STRONG = 0.3  # share of units dropped from which two passes of one input are far apart

NEEDS = "Norm ropout ModuleList"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _one_norm_for_two_layers(program)
    yield from _dropout_before_a_comparison(program)
    yield from _twins_treated_apart(program)
    yield from _one_layer_many_times(program)
    yield from _one_block_at_many_depths(program)


def _one_block_at_many_depths(program: Program) -> Iterator[Evidence]:
    """`nn.Sequential(*[block for _ in range(4)])`: one block, and one running mean for four depths.

    Sharing weights over depths can be meant; sharing the statistics of BatchNorm fits none of them.
    """
    for stack in program.calls("torch.nn.Sequential", "torch.nn.ModuleList"):
        for listed in _listings(stack.args):
            written = listed.node
            block = listed.items[0] if len(listed.items) == 1 else None
            named = _repeated(written)
            if named is None:
                continue
            if any(isinstance(piece, Call) and BATCH_NORM.match(piece.op) for piece in parts(block)):
                name = ast.unparse(named)
                yield clue(
                    "likely",
                    listed,
                    f"`{name}` is one layer listed here several times: all depths share its weights, and "
                    "its BatchNorm keeps one running mean and variance for all of them.",
                    fix="Create a new block for each entry: `[Block() for _ in range(n)]`.",
                )


def _listings(given: tuple[Value, ...]) -> Iterator[Collection]:
    """The lists among the arguments; those that were spread with `*` are kept behind the others."""
    for value in given:
        if isinstance(value, Collection):
            yield from (part for part in value.items if isinstance(part, Collection))
            yield value


def _repeated(written: ast.AST | None) -> ast.expr | None:
    """What is listed again and again, by a comprehension or as `[block] * 4`; a call has its own rule."""
    if isinstance(written, ast.ListComp | ast.GeneratorExp):
        return written.elt if _repeats(written) else None
    if not isinstance(written, ast.BinOp) or not isinstance(written.op, ast.Mult):
        return None
    listed = next((part for part in (written.left, written.right) if isinstance(part, ast.List)), None)
    one = listed.elts[0] if listed is not None and len(listed.elts) == 1 else None
    return one if isinstance(one, ast.Name | ast.Attribute) else None


def _repeats(written: ast.ListComp | ast.GeneratorExp) -> bool:
    """The same object in each turn: a name that does not hang on what is counted."""
    if not isinstance(written.elt, ast.Name | ast.Attribute) or written.generators[0].ifs:
        return False
    named = {node.id for node in walked(written.elt) if isinstance(node, ast.Name)}
    over = written.generators[0].iter
    hangs = any(
        isinstance(node, ast.Name) and node.id in named
        for turn in written.generators
        for node in walked(turn.target)
    )
    return isinstance(over, ast.Call) and called(over) == "range" and not hangs


_SHARING = Pattern(r"shar(e|ing)|(^|[\W_])tied?([\W_]|$)|re_?use", re.IGNORECASE)


def _wanted(node: ast.AST, source: Source) -> bool:
    """`if share_params:` around it says that one set of weights is meant."""
    inner, around = node, source.parents.get(node)
    while around is not None:
        if isinstance(around, ast.If | ast.IfExp) and _SHARING.search(ast.unparse(around.test)):
            denied = isinstance(around.test, ast.UnaryOp) and isinstance(around.test.op, ast.Not)
            side = around.orelse if denied else around.body
            if inner is side or (isinstance(side, list) and inner in side):
                return True
        inner, around = around, source.parents.get(around)
    return False


def _one_layer_many_times(program: Program) -> Iterator[Evidence]:
    """`nn.ModuleList([make_head()] * 5)`: five names of one head."""
    source = program.source
    for call in source.of(ast.Call) if source.holds("ModuleList") or source.holds("Sequential") else ():
        name = called(call)
        given = call.args[0] if call.args else None
        inner = given.value if isinstance(given, ast.Starred) else given
        if name not in ("ModuleList", "Sequential") or not isinstance(inner, ast.BinOp):
            continue
        repeated = next((part for part in (inner.left, inner.right) if isinstance(part, ast.List)), None)
        made = repeated.elts[0] if repeated is not None and len(repeated.elts) == 1 else None
        if isinstance(inner.op, ast.Mult) and isinstance(made, ast.Call) and not _wanted(inner, source):
            yield clue(
                "likely",
                Value(inner, source),
                f"`{ast.unparse(inner)}` lists one layer several times: all positions share its weights.",
                fix=f"Create one for each: `[{ast.unparse(made)} for _ in range(...)]`.",
            )


def _one_norm_for_two_layers(program: Program) -> Iterator[Evidence]:
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
                "proven",
                call,
                f"This BatchNorm (made on {line_of(norm, call)}) already normalises another layer's "
                f"output on {line_of(before, call)}: both update one running mean and variance, which in "
                "eval mode is right for neither.",
                fix="Give each layer a BatchNorm of its own.",
            )


def _twins_treated_apart(program: Program) -> Iterator[Evidence]:
    """Two inputs of one kind share the weights, but not the BatchNorm or Dropout right behind them."""
    seen: dict[tuple[int, int], tuple[Call, Call, str]] = {}
    told: set[int] = set()
    for call in program.calls("()"):
        treats = applied(call)
        if treats is None or not call.args or not (BATCH_NORM.match(treats.op) or DROPOUT.match(treats.op)):
            continue
        maker = sole_maker(call.args[0])
        shared = applied(maker)
        forward = next((site for site in call.context.sites if _is_forward(site)), None)
        if shared is None or not has_weights(shared) or forward is None or maker is None or not maker.args:
            continue
        name = _input_name(forward, maker.args[0])
        before = seen.setdefault((id(shared), id(forward)), (call, treats, name))
        if (
            before[1] is treats
            or not _are_twins(before[2], name)
            or excludes(before[0].context, call.context)
        ):
            continue
        if _treat_apart(before[1], treats) and id(treats.node) not in told:
            told.add(id(treats.node))
            kind = treats.op.rpartition(".")[2]
            yield clue(
                "likely",
                treats,
                f"`{before[2]}` and `{name}` share weights ({line_of(shared, treats)}), but each has a "
                f"{kind} of its own (the other on {line_of(before[1], treats)}): equal inputs give "
                "different outputs.",
                fix=f"Use one {kind} for both, or pass both through in one batch.",
            )


def _treat_apart(one: Call, other: Call) -> bool:
    """Two norms learn apart whatever they were made with; two dropouts differ when their chances do."""
    if BATCH_NORM.match(one.op):
        return bool(BATCH_NORM.match(other.op))
    chances = [exact(drop.argument(0, "p")) for drop in (one, other)]
    return bool(DROPOUT.match(other.op)) and None not in chances and chances[0] != chances[1]


def _is_forward(site: Call) -> bool:
    return getattr(getattr(site.receiver, "definition", None), "name", "") == "forward"


def _input_name(forward: Call, value: Value) -> str:
    """The one parameter of forward that a value was made from."""
    definition = getattr(forward.receiver, "definition", None)
    written = [entry.arg for entry in definition.args.args[1:]] if definition is not None else []
    given = {id(value): name for name, value in zip(written, forward.args, strict=False)}
    found: set[str] = set()
    for here in ancestry(value, 200):
        if id(here) in given:
            found.add(given[id(here)])
        elif isinstance(here, Unknown) and here.name in written:
            found.add(here.name)
    return found.pop() if len(found) == 1 else ""


def _are_twins(one: str, other: str) -> bool:
    """Names that could be exchanged: `x1` and `x2`, `a` and `b`, `left` and `right`.

    Only such inputs are taken for the same kind: sources and targets, clean and attacked images may well
    have norms of their own.
    """
    if not one or not other or one == other:
        return False
    pair = tuple(_TWIN.sub("", name) for name in (one, other))
    return pair[0] == pair[1] and all(_TWIN.search(name) for name in (one, other))


def _layer_behind(call: Call) -> Value | None:
    """The layer whose output is normalised."""
    found = affine(sole_maker(call.args[0]))
    return found.weight if found is not None else None


def _follows(call: Call, before: Call) -> bool:
    """The second use lies behind the first: two depths of one network, not two branches of the same kind."""
    return any(value is before for value in ancestry(call.args[0], 400))


def _dropout_before_a_comparison(program: Program) -> Iterator[Evidence]:
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
                "likely",
                where,
                "Two passes through this shared encoder end in Dropout, each with a new mask, and their "
                "outputs are compared: even equal inputs are far apart, so the distance cannot become "
                "small.",
                fix="Remove the Dropout from the shared encoder, or apply it after the comparison.",
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


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for part in bench.first.shared:
        if part.norms and part.gap > APART:
            yield Evidence(
                f"`{part.path}` is called {part.calls} times in one step and normalises each call by its "
                f"own statistics, but the inputs of the calls differ by {part.gap:.1f} standard "
                "deviations: training hides that difference, and the one running average used in "
                "evaluation is right for neither.",
                telling="likely",
                where=Where(module=part.path or None),
                numbers={"calls": part.calls, "gap": part.gap},
                fix="Concatenate the branches into one batch, or use a norm without batch statistics.",
            )
        elif part.dropouts and part.calls == 2:
            yield Evidence(
                f"`{part.path}` is called twice in one step with a new dropout mask each time: two equal "
                "inputs give different outputs.",
                telling="aside",
                where=Where(module=part.path or None),
                numbers={"calls": part.calls, "dropouts": part.dropouts},
                fix="Fine as augmentation; where branches are compared, share one mask or leave dropout out.",
            )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import module_of
    from sleuth.places.statements import called_twice

    module = module_of(finding)
    return called_twice(module.partition(".")[0], scene.sources) if module else None
