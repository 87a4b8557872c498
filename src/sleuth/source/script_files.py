"""The user's own files behind a script: itself and the local modules it imports."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sleuth.source.trees import tree_of

MOST = 60  # files; a project that pulls in more is looked at in part

_OPTIMIZERS = frozenset(
    "SGD Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam LBFGS ASGD Rprop SparseAdam".split()
)

_PLAYS = re.compile(
    r"^\s*(?:import|from)\s+(?:gymnasium|gym|stable_baselines3|sb3_contrib|torchrl|ray\.rllib|tianshou|pettingzoo)\b",
    re.MULTILINE,
)


# Environments of one's own: a step in a world, and what it pays.
_STEPS = re.compile(
    r"\b\w*(env|envs|world|game|arena)\.(step|play|act)\(|\.step\(\s*\w*action", re.IGNORECASE
)
_REWARDED = re.compile(r"(?<![a-z])(rewards?|returns|advantages?|adv)(?![a-z])", re.IGNORECASE)

_BOOTSTRAPS = re.compile(r"\+\s*[\w.]*(gamma|discount)\w*\s*\*", re.IGNORECASE)


def local_sources(script: Path) -> list[Path]:
    """The script first, then what it imports from its own folder or the working folder, however deep."""
    found: dict[Path, None] = {script: None}
    waiting = [script]
    while waiting and len(found) < MOST:
        for path in _imported(waiting.pop(), (script.parent, Path.cwd())):
            if path not in found:
                found[path] = None
                waiting.append(path)
    return list(found)


def _imported(path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    tree = tree_of(path)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _file(alias.name, roots)
        elif isinstance(node, ast.ImportFrom):
            base = _above(path, node.level) if node.level else None
            places = (base,) if base is not None else roots
            name = node.module or ""
            yield from _file(name, places)
            for alias in node.names:
                yield from _file(f"{name}.{alias.name}".strip("."), places)


def _above(path: Path, level: int) -> Path:
    return path.parents[level - 1]


def _file(name: str, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The file behind a dotted name, and those of the packages above it."""
    parts = name.split(".") if name else []
    for depth in range(1, len(parts) + 1):
        for root in roots:
            stem = root.joinpath(*parts[:depth])
            found = [path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()]
            if found and "site-packages" not in found[0].parts:
                yield found[0]
                break


def plays(sources: list[Path]) -> bool:
    """Whether an agent acts in environments: what it learns from depends on how well it does."""
    texts = [path.read_text("utf-8", errors="replace") for path in sources]
    return any(_PLAYS.search(text) or (_STEPS.search(text) and _REWARDED.search(text)) for text in texts)


def bootstraps(sources: list[Path]) -> bool:
    """Whether a target is a reward and what is expected to follow it: `cost + gamma * value(following)`."""
    return any(_BOOTSTRAPS.search(path.read_text("utf-8", errors="replace")) for path in sources)


def thaws(sources: list[Path]) -> bool:
    """Whether something is set free somewhere: `encoder.requires_grad_(True)`, `p.requires_grad = True` for
    each `p` of a loop (of a module that line sets a name nobody reads, and frees nothing)."""
    return any(_thaws(tree) for path in sources if (tree := tree_of(path)) is not None)


def _thaws(tree: ast.AST) -> bool:
    turns = {
        part.id
        for node in ast.walk(tree)
        if isinstance(node, ast.For)
        for part in ast.walk(node.target)
        if isinstance(part, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "requires_grad_" and not any(map(_is_false, node.args)):
                return True
        if isinstance(node, ast.Assign) and not _is_false(node.value):
            if {f"{turn}.requires_grad" for turn in turns} & {*map(ast.unparse, node.targets)}:
                return True
    return False


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def optimizers_in(sources: list[Path]) -> int:
    """How many optimizers the source makes, roughly: one in a function as often as that is called by name."""
    return sum(_made_in(path) for path in sources)


def _made_in(path: Path) -> int:
    tree = tree_of(path)
    if tree is None:
        return 0
    called = Counter(
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    made = _constructions(tree)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and called[function.name] > 1:
            made += (called[function.name] - 1) * _constructions(function)
    return made


def _constructions(tree: ast.AST) -> int:
    return sum(
        ast.unparse(node.func).rpartition(".")[2] in _OPTIMIZERS
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    )
