"""Packages import downwards only: there is no way round from one back to itself, lazy imports included."""

import ast
from collections.abc import Iterator, Mapping

from tests.contract.sources import SOURCE
from tests.contract.test_relations import circle


def imported(tree: ast.Module) -> Iterator[str]:
    """Modules of Sleuth that a file imports anywhere, but for those it names only to type checkers."""
    for node in _when_it_runs(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("sleuth."))
        elif isinstance(node, ast.ImportFrom) and node.module == "sleuth":
            yield from (f"sleuth.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sleuth."):
            yield str(node.module)


def _when_it_runs(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _when_it_runs(child)


def rooms(files: Mapping[str, ast.Module]) -> dict[str, frozenset[str]]:
    """Package, or module at the top → those it imports. The package itself only gathers names for users."""
    known = {_room(name) for name in files} - {"__init__"}
    found: dict[str, set[str]] = {room: set() for room in known}
    for name, tree in files.items():
        if (room := _room(name)) in known:
            found[room] |= {module.split(".")[1] for module in imported(tree)} & known - {room}
    return {room: frozenset(others) for room, others in found.items()}


def _room(name: str) -> str:
    return name.partition("/")[0].removesuffix(".py")


def test_no_package_imports_one_that_imports_it() -> None:
    files = {p.relative_to(SOURCE).as_posix(): ast.parse(p.read_text("utf-8")) for p in SOURCE.rglob("*.py")}
    graph = rooms(files)
    assert len(graph["causes"]) > 3
    assert circle(graph) == []


def test_a_lazy_import_upwards_would_be_seen_and_one_for_types_is_not() -> None:
    lazy = ast.parse("def f():\n    from sleuth import cli\n")
    typed = ast.parse("if TYPE_CHECKING:\n    from sleuth.cli import x\n")
    above = ast.parse("import sleuth.record.curves")
    assert circle(rooms({"cli/a.py": above, "record/b.py": lazy})) == ["cli", "record", "cli"]
    assert circle(rooms({"cli/a.py": above, "record/b.py": typed})) == []
