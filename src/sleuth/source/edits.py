"""Repairs as text: pieces of syntax replaced, moved, wrapped or taken out, where that can be done by rule.

Every function gives no edit at all where the result could not be written with certainty (several statements
on one line, texts over several lines that would be indented): a finding without a repair beats a broken file.
"""

import ast
from collections.abc import Iterator

from sleuth.finding import Edit
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.parsed_file import Source
from sleuth.source.program import rewrite

Edits = tuple[Edit, ...]
STEP = "    "


def around(node: ast.AST | None, source: Source) -> Iterator[ast.AST]:
    """What a piece of syntax stands in, innermost first."""
    above = source.parents
    while node is not None and (node := above.get(node)) is not None:
        yield node


def statement_of(node: ast.AST | None, source: Source | None) -> ast.stmt | None:
    """The innermost statement around a piece of syntax."""
    if node is None or source is None:
        return None
    return next((here for here in (node, *around(node, source)) if isinstance(here, ast.stmt)), None)


def block_of(statement: ast.stmt, source: Source) -> list[ast.stmt]:
    """The statements among which one stands."""
    holder = source.parents.get(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(holder, name, None)
        if isinstance(block, list) and any(one is statement for one in block):
            return block
    return []


def beside(node: ast.AST | None, other: ast.stmt | None, source: Source) -> ast.stmt | None:
    """The statement of `other`'s block in which a piece of syntax stands."""
    block = block_of(other, source) if other is not None else []
    for here in (node, *around(node, source)) if node is not None else ():
        if any(here is one for one in block):
            return here if isinstance(here, ast.stmt) else None
    return None


def method_added(node: ast.AST | None, source: Source | None, method: str, safe: bool = False) -> Edits:
    """`expression.method()`, with brackets where the expression needs them."""
    if not isinstance(node, ast.expr):
        return ()
    return rewrite(node, source, f"{bracketed(node)}.{method}", safe)


def bracketed(node: ast.expr) -> str:
    """An expression as text that may stand before a dot or in a product."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"


def inserted_before(statement: ast.stmt | None, source: Source, text: str, safe: bool = False) -> Edits:
    if statement is None or not _has_its_lines(statement, source):
        return ()
    first = _first_line(statement)
    return (Edit(source.path, first, 1, first, 1, f"{_indent(statement, source)}{text}\n", safe),)


def inserted_after(statement: ast.stmt | None, source: Source, text: str, safe: bool = False) -> Edits:
    if statement is None or not _has_its_lines(statement, source):
        return ()
    last = statement.end_lineno or 0
    end = len(source.line(last)) + 1
    return (Edit(source.path, last, end, last, end, f"\n{_indent(statement, source)}{text}", safe),)


def taken_out(statement: ast.stmt | None, source: Source, safe: bool = False) -> Edits:
    """The statement's lines removed, with `pass` in their place where a block would be left empty."""
    if statement is None or not _has_its_lines(statement, source):
        return ()
    first, last = _first_line(statement), statement.end_lineno or 0
    if len(block_of(statement, source)) == 1:
        text = f"{_indent(statement, source)}pass"
        return (Edit(source.path, first, 1, last, len(source.line(last)) + 1, text, safe),)
    if first == 1:
        return (Edit(source.path, 1, 1, last + 1, 1, "", safe),) if last < len(source.lines) else ()
    before = len(source.line(first - 1)) + 1
    return (Edit(source.path, first - 1, before, last, len(source.line(last)) + 1, "", safe),)


def moved_before(
    statement: ast.stmt | None, other: ast.stmt | None, source: Source, safe: bool = False
) -> Edits:
    return _moved(statement, source, inserted_before(other, source, _one_line(statement), safe), safe)


def moved_after(
    statement: ast.stmt | None, other: ast.stmt | None, source: Source, safe: bool = False
) -> Edits:
    return _moved(statement, source, inserted_after(other, source, _one_line(statement), safe), safe)


def _moved(statement: ast.stmt | None, source: Source, put: Edits, safe: bool) -> Edits:
    gone = taken_out(statement, source, safe)
    return (*gone, *put) if gone and put and _one_line(statement) else ()


def wrapped(statement: ast.stmt | None, source: Source, head: str, safe: bool = False) -> Edits:
    """The statement one step further in, below `head`."""
    if statement is None or not _can_move_sideways(statement, source):
        return ()
    first, last = _first_line(statement), statement.end_lineno or 0
    lines = [f"{STEP}{line}" if line.strip() else line for line in source.lines[first - 1 : last]]
    text = "\n".join([_indent(statement, source) + head, *lines])
    return (Edit(source.path, first, 1, last, len(source.line(last)) + 1, text, safe),)


def unwrapped(statement: ast.With, source: Source, safe: bool = False) -> Edits:
    """The body of a `with` in its place, without it."""
    if not _can_move_sideways(statement, source):
        return ()
    first, last = _first_line(statement), statement.end_lineno or 0
    begin = _first_line(statement.body[0])
    depth = statement.body[0].col_offset - statement.col_offset
    if begin <= first or depth <= 0:
        return ()
    text = "\n".join(line[depth:] if line.strip() else line for line in source.lines[begin - 1 : last])
    return (Edit(source.path, first, 1, last, len(source.line(last)) + 1, text, safe),)


def imported(module: str, source: Source, safe: bool = False) -> Edits:
    """`import module`, unless the file has it; behind the docstring and the imports of the future."""
    body = source.tree.body
    imports = [node for node in body if isinstance(node, ast.Import)]
    if any(alias.name == module and not alias.asname for node in imports for alias in node.names):
        return ()
    for node in body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_text and not is_future:
            first = _first_line(node)
            return (Edit(source.path, first, 1, first, 1, f"import {module}\n", safe),)
    return ()


def keyword_set(call: Value | None, name: str, text: str, safe: bool = False) -> Edits:
    """A keyword argument of a call given another value, or added behind the others."""
    node, source = (call.node, call.source) if call is not None else (None, None)
    if not isinstance(node, ast.Call) or source is None:
        return ()
    for entry in node.keywords:
        if entry.arg == name:
            return rewrite(entry.value, source, text, safe)
    given = (*node.args, *(entry.value for entry in node.keywords))
    if not given or any(isinstance(part, ast.Starred | ast.GeneratorExp) for part in given):
        return ()
    last = max(given, key=lambda part: (part.end_lineno or 0, part.end_col_offset or 0))
    words = ast.get_source_segment(source.text, last)
    return rewrite(last, source, f"{words}, {name}={text}", safe) if words else ()


def renamed(call: Value | None, name: str, safe: bool = False) -> Edits:
    """Another function or class of the same home: `nn.BCELoss` → `nn.BCEWithLogitsLoss`."""
    node = call.node if call is not None else None
    if call is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ()
    return rewrite(node.func, call.source, f"{bracketed(node.func.value)}.{name}", safe)


def argument_node(call: Value | None, position: int, name: str) -> ast.expr | None:
    """An argument as it is written, by place or by name."""
    node = call.node if isinstance(call, Call) else None
    if not isinstance(node, ast.Call) or any(isinstance(part, ast.Starred) for part in node.args):
        return None
    named = next((entry.value for entry in node.keywords if entry.arg == name), None)
    return named or (node.args[position] if position < len(node.args) else None)


def without_method(node: ast.AST | None, source: Source | None, safe: bool = False) -> Edits:
    """`x.item()` → `x`, `x.data` → `x`."""
    if isinstance(node, ast.Call):
        node_of = node.func.value if isinstance(node.func, ast.Attribute) and not node.args else None
    else:
        node_of = node.value if isinstance(node, ast.Attribute) else None
    return rewrite(node, source, bracketed(node_of), safe) if node_of is not None else ()


def layer_taken_out(applied: Call, safe: bool = False) -> Edits:
    """A listed layer replaced by one that does nothing, a call by its argument."""
    node, made = applied.node, applied.receiver
    if not isinstance(node, ast.Call):
        return ()
    if isinstance(made, Call) and made.node is node:  # a layer listed in nn.Sequential
        home = ast.unparse(node.func).rpartition(".")[0]
        return rewrite(node, applied.source, f"{home}.Identity()", safe) if home else ()
    if applied.op.startswith(".") and isinstance(node.func, ast.Attribute):
        return rewrite(node, applied.source, bracketed(node.func.value), safe)
    return rewrite(node, applied.source, bracketed(node.args[0]), safe) if node.args else ()


def _one_line(statement: ast.stmt | None) -> str:
    """The text of a statement that stands on one line; none of a longer one."""
    if statement is None or statement.lineno != statement.end_lineno:
        return ""
    return ast.unparse(statement)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _indent(statement: ast.stmt, source: Source) -> str:
    line = source.line(statement.lineno)
    return line[: len(line) - len(line.lstrip())]


def _has_its_lines(statement: ast.stmt, source: Source) -> bool:
    """Nothing else stands on the statement's lines: no `a; b`, no `if x: y`."""
    last = statement.end_lineno or 0
    before = source.line(statement.lineno).encode()[: statement.col_offset].decode().strip()
    after = source.line(last).encode()[statement.end_col_offset :].decode().strip()
    return not before and (not after or after.startswith("#"))


def _can_move_sideways(statement: ast.stmt, source: Source) -> bool:
    """No text over several lines, which would change with the indentation."""
    long_texts = any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno
        for node in ast.walk(statement)
    )
    return _has_its_lines(statement, source) and not long_texts
