"""The tree of a file is that of its present text, and none where there is none."""

import ast
from pathlib import Path

from sleuth.source.trees import tree_of


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("a = 1\n")
    first = tree_of(script)
    script.write_text("b = 2\n")
    second = tree_of(script)
    assert first is not None
    assert second is not None
    assert (ast.unparse(first), ast.unparse(second)) == ("a = 1", "b = 2")


def test_what_is_no_python_has_no_tree(tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text("def f(:\n")
    (tmp_path / "nul.py").write_bytes(b"a = 1\0")
    assert [tree_of(tmp_path / name) for name in ("half.py", "nul.py", "gone.py")] == [None, None, None]
