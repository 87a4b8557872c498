"""The statement that a cause is most likely about, found in the source by what it speaks of."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sleuth.diagnosis.syntax import tree_of
from sleuth.finding import Where


@dataclass(frozen=True)
class _Statement:
    """A simple statement, its text, and what stands around it."""

    line: int
    text: str
    targets: str  # what it assigns to
    in_loop: bool
    attends: bool  # in a function that computes attention


def best_statement(cause: str, sources: list[Path]) -> Where | None:
    """The statement that the cause is most likely about; None where nothing in the source speaks of it."""
    rank = RANKS.get(cause) or BEHIND.get(cause) or LAST_RESORT[cause]
    ranked = [
        (score, number, Where(str(path), statement.line))
        for number, path in enumerate(sources)
        for statement in _statements(path)
        if (score := rank(statement)) is not None
    ]
    return min(ranked, key=lambda entry: entry[:2])[2] if ranked else None


_HANDS_ON = re.compile(
    r"torch\.(tensor|as_tensor|from_numpy)|TensorDataset|DataLoader|_loss\(|criterion|\bself\(|^\s*for\b"
)


def hands_on(where: Where | None) -> bool:
    """Whether a line only wraps, serves or judges what another made."""
    if where is None or where.path is None or not where.line:
        return True
    try:
        lines = Path(where.path).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return where.line <= len(lines) and bool(_HANDS_ON.search(lines[where.line - 1]))


def _statements(path: Path) -> Iterator[_Statement]:
    tree = tree_of(path)
    if tree is None:
        return
    yield from _below(tree, False, False)


def _below(node: ast.AST, in_loop: bool, attends: bool) -> Iterator[_Statement]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for one in child.decorator_list:
                yield _Statement(one.lineno, f"@{ast.unparse(one)}", "", False, False)
            said = ast.unparse(child).lower()
            yield from _below(child, False, "softmax" in said or "attention" in said or "attn" in said)
        elif isinstance(child, ast.stmt) and hasattr(child, "body"):
            yield from _below(child, in_loop or isinstance(child, (ast.For, ast.While)), attends)
        elif isinstance(child, ast.stmt) and not isinstance(child, (ast.Import, ast.ImportFrom)):
            targets = ", ".join(ast.unparse(target) for target in getattr(child, "targets", ()))
            yield _Statement(child.lineno, ast.unparse(child), targets, in_loop, attends)


def _mask(statement: _Statement) -> int | None:
    """Where a sequence model could be kept from its future."""
    text = statement.text
    if "triu" in text or "tril" in text or "is_causal" in text:
        return 0 if statement.attends else 1
    if statement.attends and "mask" in text and not text.startswith("return"):
        return 0
    if "scaled_dot_product_attention" in text or "attn(" in text or "MultiheadAttention" in text:
        return 2
    padded = ("Conv1d" in text and "padding" in text) or re.search(r"\bpad\(", text)
    if "bidirectional=True" in text or padded:
        return 3
    return 4 if statement.attends and "softmax" in text else None


def _criterion(statement: _Statement) -> int | None:
    """Where the loss is made, or called."""
    if re.search(r"\b(CrossEntropyLoss|NLLLoss|BCE\w*Loss)\(", statement.text):
        return 0
    return 1 if re.search(r"\b(cross_entropy|nll_loss|binary_cross_entropy\w*)\(", statement.text) else None


def _split(statement: _Statement) -> int | None:
    """Where the evaluation rows are chosen."""
    if re.search(r"train_test_split|random_split|KFold|ShuffleSplit", statement.text):
        return 0
    draws = re.search(
        r"choice\(|sample\(|permutation\(|randperm\(|randint\(|\[.*:.*\]|Subset\(", statement.text
    )
    held_out = re.search(r"test|val|eval|hold", statement.targets, re.IGNORECASE)
    if draws and held_out:
        return 1
    apart = not statement.in_loop and "," in statement.targets and re.search(r"split\w*\(", statement.text)
    if apart:
        return 2
    # `test_set = Patches(archive, "test")`, also one for each part in turn: a class of one's own that chooses
    # rows; then what serves them; then an order that is drawn once, not one of batches.
    made = held_out and not statement.in_loop and re.search(r"= *[(\[]*[\w.]*\b[A-Z]\w+\(", statement.text)
    if made:
        return 4 if "DataLoader(" in statement.text else 3
    drawn = not statement.in_loop and re.search(r"permutation\(|randperm\(", statement.text)
    return 5 if drawn else None


def _same_start(statement: _Statement) -> int | None:
    """Where weights that belong to no layer are given one value."""
    if not re.search(r"\b(zeros|ones|full)\(", statement.text):
        return None
    if re.search(r"Parameter\(|requires_grad", statement.text):
        return 0
    named = re.fullmatch(r"(self\.)?(w|W|weights?|theta|kernel)(_?\w{0,3})", statement.targets)
    return 1 if named else None


def called_twice(attribute: str, sources: list[Path]) -> Where | None:
    """The statement with the second call of a layer, `self.<attribute>(...)`, inside one function; or of the
    method that calls it."""
    names = [attribute]
    for _ in range(HOPS):
        callers: list[str] = []
        for path in sources:
            for function in _functions(path):
                calls = [
                    s.line for s in _below(function, False, False) for _ in _calls_of(names).findall(s.text)
                ]
                if len(calls) > 1:
                    return Where(str(path), calls[1])
                callers += [function.name] if calls else []
        names = [name for name in callers if name != "forward"]
        if not names:
            return None
    return None


HOPS = 3  # methods between the layer and whoever calls it twice


def _calls_of(names: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:self|\w*model|\w*net)\.(?:{'|'.join(map(re.escape, names))})\(")


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    tree = tree_of(path)
    if tree is None:
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _first_batch_again(statement: _Statement) -> int | None:
    return 0 if statement.in_loop and "next(iter(" in statement.text else None


def _summed(statement: _Statement) -> int | None:
    """Where a loss becomes one number by a sum."""
    if re.search(r"reduction=['\"]sum['\"]", statement.text):
        return 0
    if not re.search(r"\.sum\(\)$|^return torch\.sum\(", statement.text):
        return None
    if re.search(r"loss|nll|cost|objective|energy", statement.targets, re.IGNORECASE):
        return 1
    return 2 if statement.text.startswith("return") else None


def _frozen(statement: _Statement) -> int | None:
    """Where parameters are taken out of training, or are meant to be put back in."""
    if re.search(r"requires_grad_\(False\)|requires_grad = False", statement.text):
        return 0
    return 1 if re.search(r"requires_grad_\(|\.requires_grad = ", statement.text) else None


_DECIDES = re.compile(
    r"\.(map|isin|replace|apply|get)\(|(np|torch)\.where|fillna|digitize| (==|>|<|>=|<=|//) "
)
_ANSWERS = re.compile(r"(self\.)?(y|ys|labels?|targets?|y_all|y_true|classes)", re.IGNORECASE)


def _labelled(statement: _Statement) -> int | None:
    """Where the answers are worked out from something else: by a table, a comparison, a rule."""
    return 0 if _ANSWERS.fullmatch(statement.targets) and _DECIDES.search(statement.text) else None


_FEATURES = re.compile(r"(self\.)?(x|xs|features?|feats|inputs?|table|frame)(_\w+)?", re.IGNORECASE)


def _columns_kept(statement: _Statement) -> int | None:
    """Where a table loses the columns that the model must not see."""
    drops = re.search(r"\.drop\(", statement.text) and "axis=0" not in statement.text
    return 0 if drops and _FEATURES.fullmatch(statement.targets) else None


_KEEPS = re.compile(r"cache|memo|history|seen|store|bank|pool|buffer|kept|log", re.IGNORECASE)


def _grows(statement: _Statement) -> int | None:
    """Where something is kept that nobody throws away: a cache without an end, a table that is filled."""
    text = statement.text
    if re.match(r"@(functools\.)?(cache$|lru_cache\(.*(maxsize=)?None)", text):
        return 0
    if re.match(r"[\w.]+\[.+\]$", statement.targets) and _KEEPS.search(statement.targets.partition("[")[0]):
        return 1
    return 2 if re.search(r"\b(self\.\w+|[A-Z_]+)\.(append|extend|add)\(", text) else None


_MARKED = r"-100|[\w.]*ignore\w*"


def _ignored(statement: _Statement) -> int | None:
    """Where answers are marked as not to be judged: `[IGNORE] * len(prompt)`, `labels[:n] = -100`."""
    text = statement.text
    if re.search(rf"\[({_MARKED})\] \*|full(_like)?\(.*({_MARKED})\)", text, re.IGNORECASE):
        return 0
    written = "[" in statement.targets and re.search(rf"= ({_MARKED})$", text, re.IGNORECASE)
    return 1 if written or re.search(rf"masked_fill\w*\(.*({_MARKED})\)", text, re.IGNORECASE) else None


def _over_the_batch(statement: _Statement) -> int | None:
    """An `einsum` that sums over the letter with which all its operands begin: the examples."""
    written = re.search(r"einsum\(\s*['\"]([a-zA-Z, ]+)->([a-zA-Z ]*)['\"]", statement.text)
    if written is None:
        return None
    first = {part.strip()[:1] for part in written[1].split(",")}
    alone = len(first) == 1 and "," in written[1]
    return 0 if alone and not first & set(written[2]) else None


def _in_order(statement: _Statement) -> int | None:
    """Where the order of the rows is written down as it stands, or else where batches are cut from it."""
    if re.search(
        r"= *(torch\.|np\.|numpy\.)?(arange|list\(range)\((0, )?(len\(|\w+\.(shape|size))", statement.text
    ):
        return 0
    return 1 if statement.in_loop and re.search(r"\[(\w+):\1 \+ ", statement.text) else None


def _hinge(statement: _Statement) -> int | None:
    """Where a loss is bounded from below: `relu(near - far + margin)`."""
    bounded = re.search(r"\b(relu|clamp|clamp_min|maximum|hinge\w*|clip)\(", statement.text)
    return 0 if bounded and re.search(r"margin|hinge", statement.text, re.IGNORECASE) else None


# For findings that know no line at all.
LAST_RESORT: Mapping[str, Callable[[_Statement], int | None]] = {
    "zero-init": _same_start,
    "memory-growth": _grows,
    "unshuffled-training": _in_order,
    "unstratified-split": _split,
}
RANKS: Mapping[str, Callable[[_Statement], int | None]] = {
    "causal-leak": _mask,
    "class-imbalance": _criterion,
    "split-overlap": _split,
    "repeated-batch": _first_batch_again,
    "wrong-reduction": _summed,
    "frozen-params": _frozen,
    "loss-saturated": _hinge,
    "batch-mixing": _over_the_batch,
}
# For findings whose line only hands on what was made elsewhere.
BEHIND: Mapping[str, Callable[[_Statement], int | None]] = {
    "labels-all-ignored": _ignored,
    "labels-constant": _labelled,
    "target-leakage": _columns_kept,
}
