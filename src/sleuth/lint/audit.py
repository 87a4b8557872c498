"""`--audit`: the questions that people grep for, as lists of places. Nothing here is called a bug."""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

from sleuth.finding import Where
from sleuth.lint.files import python_files, read_any, read_bytes_of
from sleuth.quick_dataclass import dataclass
from sleuth.source.notebook import in_cell
from sleuth.source.parsed_file import Source, UnreadableSource, called


@dataclass(frozen=True)
class Question:
    """What to look at and why; `matches` tells whether a node is such a place."""

    title: str
    why: str
    matches: Callable[[ast.AST], bool]


@dataclass(frozen=True)
class Place:
    """A line that answers a question."""

    where: Where
    text: str


def _method(*names: str) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Call) and called(node) in names


def _attribute(*names: str) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Attribute) and node.attr in names


def _loss(node: ast.AST) -> bool:
    """A call whose name tells: cross_entropy, CrossEntropyLoss, kl_div, criterion."""
    name = called(node).lower() if isinstance(node, ast.Call) else ""
    return any(part in name for part in ("loss", "entropy", "kl_div", "criterion"))


def _reduction(node: ast.AST) -> bool:
    """`x.sum()`, `torch.mean(x)`; the `sum` of Python itself adds up anything."""
    return isinstance(node, ast.Call) and _attribute("sum", "mean", "nansum", "nanmean")(node.func)


QUESTIONS = (
    Question(
        "view, reshape, transpose, permute",
        "is the axis order what the next line thinks it is?",
        _method("view", "reshape", "transpose", "permute", "flatten", "squeeze", "unsqueeze", "rearrange"),
    ),
    Question(
        "detach, .data, .item, .numpy, no_grad",
        "should gradient stop here?",
        lambda node: (
            _method("detach", "item", "numpy", "tolist", "no_grad", "inference_mode")(node)
            or _attribute("data")(node)
        ),
    ),
    Question(
        "in-place: +=, add_, relu_, index assignment",
        "does autograd, or an outer variable, still need the old value?",
        lambda node: (
            isinstance(node, ast.AugAssign)
            or (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr.endswith("_")
                and not node.func.attr.startswith("_")
            )
        ),
    ),
    Question(
        "softmax, sigmoid, argmax",
        "over which axis, and does the loss apply it again?",
        _method("softmax", "log_softmax", "sigmoid", "argmax", "Softmax", "LogSoftmax", "Sigmoid"),
    ),
    Question(
        "losses and reductions",
        "do prediction and target have the same shape; is sum or mean meant?",
        lambda node: _loss(node) or _reduction(node),
    ),
    Question(
        "zero_grad, backward, step, clip",
        "once each, in this order, in the right loop?",
        _method("zero_grad", "backward", "step", "clip_grad_norm_", "clip_grad_value_"),
    ),
    Question("train() and eval()", "which mode is on when this batch runs?", _method("train", "eval")),
    Question(
        "requires_grad and parameters()",
        "what is frozen, and who is in the optimizer?",
        lambda node: _attribute("requires_grad")(node) or _method("parameters", "requires_grad_")(node),
    ),
    Question(
        "load_state_dict, from_pretrained",
        "did every weight arrive, and who reads what did not?",
        _method("load_state_dict", "from_pretrained"),
    ),
    Question(
        "fit, fit_transform, split",
        "was the test set left out?",
        _method("fit", "fit_transform", "train_test_split", "random_split", "split"),
    ),
    Question(
        "log, exp, sqrt, division by a tensor's sum",
        "can the argument reach a value where the result is infinite?",
        _method("log", "exp", "sqrt", "log2", "log10", "reciprocal", "rsqrt", "norm"),
    ),
    Question(
        "except",
        "what failure is hidden here?",
        lambda node: isinstance(node, ast.ExceptHandler),
    ),
)

Audit = dict[Question, list[Place]]


def audit(paths: Iterable[Path], exclude: tuple[str, ...] = ()) -> tuple[Audit, list[UnreadableSource]]:
    """Every place that answers a question, in the order of files and lines; and the files not read."""
    found: Audit = {question: [] for question in QUESTIONS}
    unread: list[UnreadableSource] = []
    for path in python_files(paths, exclude):
        try:
            source = read_any(path, read_bytes_of(path))
        except UnreadableSource as error:
            unread.append(error)
            continue
        for question, places in _places(source).items():
            found[question] += places
    return {question: places for question, places in found.items() if places}, unread


def _places(source: Source) -> Audit:
    lines: dict[Question, set[int]] = {question: set() for question in QUESTIONS}
    for node in source.nodes:
        for question in QUESTIONS:
            if question.matches(node):
                lines[question].add(getattr(node, "lineno", 0))
    return {
        question: [
            Place(in_cell(source, Where(source.path, line)), source.line(line).strip())
            for line in sorted(numbers)
        ]
        for question, numbers in lines.items()
    }
