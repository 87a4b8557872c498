"""Reading files: encodings, fragments, notebooks, and everything that is no Python."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.finding import Where
from sleuth.lint.files import read_any
from sleuth.source.notebook import in_cell, read_notebook
from sleuth.source.parsed_file import MAX_BYTES, Project, UnreadableSource, decode, parse_source, read_source


def test_a_byte_order_mark_and_foreign_line_ends_are_fine(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes("\ufeffx = 'é'\r\ny = 2\r".encode())
    source = read_source(file)
    assert [len(source.tree.body), source.line(1), source.line(2)] == [2, "x = 'é'", "y = 2"]


def test_a_declared_encoding_is_used(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    assert "é" in read_source(file).text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x00\x01", "binary"),
        (b"x = '\xff\xfe'\n", "not encoded in UTF-8"),
        (b"# coding: no-such-thing\n", "encoding"),
        (b"x" * 2_000_001, "generated"),
    ],
)
def test_what_is_no_text_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableSource, match=reason):
        decode("a.py", data)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("x = (\n", "never closed", 1),
        ("a = 1\nprint 'x'\n", "Python 2", 2),
        ("(" * 5000 + ")" * 5000, "nested|too many", None),
    ],
)
def test_what_does_not_parse_is_said_with_its_place(text: str, reason: str, line: int | None) -> None:
    with pytest.raises(UnreadableSource, match=reason) as caught:
        parse_source("a.py", text)
    if line is not None:
        assert caught.value.line == line


FRAGMENTS = {
    "an unfinished loop": ("import torch\nfor x in loader:\n", 2),
    "an unfinished loop inside a function": (
        "def f():\n    for x in y:\n        loss.backward()\n        if z:\n",
        1,
    ),
    "a line cut in the middle": ("a = 1\nb = 2\nmodel = nn.Linear(3,\n", 2),
    "an unfinished class": ("class Net(nn.Module):\n    def forward(self, x):\n", 1),
    "text after the code": ("a = 1\nb = 2\nand then my loss is nan\n", 2),
}


@pytest.mark.parametrize(("text", "statements"), FRAGMENTS.values(), ids=FRAGMENTS)
def test_a_fragment_is_read_as_far_as_it_goes(text: str, statements: int) -> None:
    source = parse_source("a.py", text, repair=True)
    read = [node for node in source.tree.body if not isinstance(node, ast.Pass)]  # in a broken line's place
    assert len(read) == statements
    assert source.repaired is not None


@given(st.binary(max_size=200))
def test_random_bytes_are_read_or_refused_in_one_sentence(data: bytes) -> None:
    said = "Cannot read a.py"
    try:
        parse_source("a.py", decode("a.py", data), repair=True)
    except UnreadableSource as trouble:
        said = str(trouble)
    assert said.startswith("Cannot read a.py")


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# hello"}, *made], "nbformat": 4})


def test_a_notebook_is_one_program_and_lines_lead_back_to_cells() -> None:
    text = notebook(
        "%matplotlib inline\nimport torch\n", "!pip install x\nfiles = !ls\nmodel = torch.nn.Linear(1, 1)"
    )
    source = read_notebook("a.ipynb", text)
    line = next(number for number, code in enumerate(source.lines, 1) if "Linear" in code)
    place = in_cell(source, Where("a.ipynb", line, 9, line))
    assert (place.cell, place.line, place.end_line) == (2, 3, 3)
    assert str(place) == "a.ipynb:cell 2:3"


def test_a_cell_that_does_not_parse_is_passed_over() -> None:
    source = read_notebook("a.ipynb", notebook("x = (", "%%bash\nls -la", "%%time\ny = 2", "z = 3"))
    assert [node.targets[0].id for node in source.tree.body if hasattr(node, "targets")] == ["y", "z"]


def test_large_outputs_do_not_make_a_large_notebook() -> None:
    whole = json.loads(notebook("x = 1"))
    whole["cells"][1]["outputs"] = [{"data": {"image/png": "A" * (MAX_BYTES + 1)}}]
    assert read_any(Path("a.ipynb"), json.dumps(whole).encode()).lines == ["x = 1"]


def test_a_notebook_with_very_much_code_is_generated() -> None:
    with pytest.raises(UnreadableSource, match="generated"):
        read_any(Path("a.ipynb"), notebook("x = 1\n" * (MAX_BYTES // 4)).encode())


@pytest.mark.parametrize(
    "text", ["{}", "[]", "not json", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}']
)
def test_what_is_no_notebook_is_said(text: str) -> None:
    with pytest.raises(UnreadableSource, match="not a Jupyter notebook"):
        read_notebook("a.ipynb", text)


def test_imports_find_local_files_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "net.py").write_text("class Net: ...\n")
    (tmp_path / "train.py").write_text("from pkg.net import Net\n")
    project = Project()
    train = read_source(tmp_path / "train.py")
    found = project.find("pkg.net", 0, train)
    assert found is not None
    assert found.path.endswith("net.py")
    assert project.find("net", 1, found) is found
    assert project.find("no.such.module", 0, train) is None
    assert any(
        path.endswith("no/such/module.py") and not digest for path, digest in project.consulted.items()
    )
