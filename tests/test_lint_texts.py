"""Texts as people have them: pieces, odd line ends, other encodings, comments and notebooks with trouble."""

import json
import subprocess
from pathlib import Path

import pytest

from sleuth.lint import Selection, lint
from sleuth.lint.changes import only_changed
from sleuth.lint.fix import repairs, write
from sleuth.source.fragments import mended
from sleuth.source.parsed_file import lines_of, parse_source

LOOP = """for x, y in loader:
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
"""
DOUBLE = """import torch.nn as nn
net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
loss = nn.CrossEntropyLoss()(net(x), y)
"""


def causes(path: Path, **options: object) -> list[tuple[str, int | None]]:
    found = lint([path], **options).findings  # type: ignore[arg-type]
    return [(finding.cause, finding.where.line if finding.where else None) for finding in found]


def written(folder: Path, text: str, name: str = "piece.py") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


# --- pieces ---


def test_an_indented_piece_is_read_whole(tmp_path: Path) -> None:
    piece = "".join(f"        {line}\n" for line in LOOP.splitlines())
    result = lint([written(tmp_path, piece)])
    assert [(one.cause, one.where and (one.where.line, one.where.column)) for one in result.findings] == [
        ("missing-zero-grad", (3, 13))
    ]
    assert not result.troubles


def test_a_pasted_session_is_read_without_its_prompts_and_answers(tmp_path: Path) -> None:
    session = "".join(f">>> {line}\n" for line in DOUBLE.splitlines()) + "tensor(1.0)\n"
    assert causes(written(tmp_path, session)) == [("double-softmax", 2)]


@pytest.mark.parametrize(
    "broken",
    [
        "def unfinished(:\n    pass\n",
        'print "starting"\n',
        "x = (\n",
        "for i in range(3)\n    i\n",
        "if x:\n",
    ],
)
def test_what_stands_after_a_broken_line_is_read(tmp_path: Path, broken: str) -> None:
    lines = DOUBLE.splitlines(keepends=True)
    path = written(tmp_path, lines[0] + broken + "".join(lines[1:]))
    assert causes(path) == [("double-softmax", 2 + broken.count("\n"))]
    assert [trouble.partly for trouble in lint([path]).troubles] == [True]


def test_what_is_lacking_may_stand_on_the_line_that_could_not_be_read(tmp_path: Path) -> None:
    lines = LOOP.splitlines(keepends=True)
    assert causes(written(tmp_path, "".join([lines[0], "    optimizer.zero_grad(]\n", *lines[1:]]))) == []


def test_prose_is_no_program(tmp_path: Path) -> None:
    prose = written(tmp_path, "Dear reader,\nthis is a letter, not code.\n" * 40)
    assert lint([prose]).unreadable


def test_a_mended_text_keeps_its_lines() -> None:
    found = mended("import a\nx = = 1\nb = 2\n")
    assert found is not None
    assert found.gaps == (2,)
    assert not found.whole
    assert [statement.lineno for statement in found.tree.body] == [1, 2, 3]


# --- lines, columns, encodings ---


@pytest.mark.parametrize("mark", ["\x0c", "\x1c", "\x85", "\u2028", "\x0b"])
def test_a_repair_counts_lines_as_python_does(tmp_path: Path, mark: str) -> None:
    text = f'note = "{mark}"\n' if mark != "\x0c" else "\x0c\n"
    path = written(tmp_path, text + DOUBLE)
    write(repairs(lint([path]).findings, unsafe=True))
    assert path.read_bytes().decode() == text + DOUBLE.replace("nn.Softmax(dim=1)", "nn.Identity()")


def test_a_repair_keeps_line_ends_and_encoding(tmp_path: Path) -> None:
    text = '# -*- coding: latin-1 -*-\nname = "caf\xe9"\n' + DOUBLE
    path = tmp_path / "old.py"
    path.write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    write(repairs(lint([path]).findings, unsafe=True))
    after = text.replace("nn.Softmax(dim=1)", "nn.Identity()")
    assert path.read_bytes() == after.replace("\n", "\r\n").encode("latin-1")


def test_columns_count_characters(tmp_path: Path) -> None:
    path = written(tmp_path, DOUBLE.replace("net = ", 'name = "漢é"; net = '))
    (found,) = lint([path]).findings
    assert found.where is not None
    assert found.where.column is not None
    assert path.read_text("utf-8").splitlines()[1][found.where.column - 1 :].startswith("nn.Softmax")


def test_lines_end_where_python_ends_them() -> None:
    assert lines_of("a\x0cb\u2028\r\nc\rd\n") == ["a\x0cb\u2028", "c", "d"]
    assert parse_source("x.py", "a = 1\r\nb = 2\r\n").lines == ["a = 1", "b = 2"]


def test_a_link_to_itself_is_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "self.py").symlink_to("self.py")
    written(tmp_path, DOUBLE, "other.py")
    result = lint([tmp_path])
    assert len(result.unreadable) == 1
    assert len(result.findings) == 1


# --- what is to be left alone ---


def test_text_that_looks_like_a_comment_silences_nothing(tmp_path: Path) -> None:
    path = written(
        tmp_path, '"""Write `# sleuth: ignore-file[double-softmax]` to be left alone."""\n' + DOUBLE
    )
    assert causes(path) == [("double-softmax", 3)]


def test_a_comment_on_the_last_line_of_a_statement_counts(tmp_path: Path) -> None:
    long = DOUBLE.replace("nn.Softmax(dim=1))", "nn.Softmax(\n    dim=1))  # sleuth: ignore[double-softmax]")
    assert causes(written(tmp_path, long)) == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A script whose model, with the fault, stands in another file."""
    written(
        tmp_path,
        "from models import net\nimport torch.nn as nn\nloss = nn.CrossEntropyLoss()(net(x), y)\n",
        "main.py",
    )
    written(tmp_path, "".join(DOUBLE.splitlines(keepends=True)[:2]), "models.py")
    return tmp_path


def test_a_line_of_another_file_is_told_with_its_name(package: Path) -> None:
    (found,) = lint([package]).findings
    assert "on line 3 of main.py" in found.message


def test_a_fault_in_an_imported_file_is_told_and_not_repaired(package: Path) -> None:
    (found,) = lint([package / "main.py"]).findings
    assert found.where is not None
    assert found.where.path is not None
    assert found.where.path.endswith("models.py")
    assert repairs([found], unsafe=True) == []
    (named,) = lint([package]).findings
    assert [repair.path.name for repair in repairs([named], unsafe=True)] == ["models.py"]


def test_an_imported_file_may_be_left_out_or_ask_to_be_left_alone(package: Path) -> None:
    assert lint([package], Selection(exclude=("models.py",))).findings == ()
    model = package / "models.py"
    model.write_text(model.read_text("utf-8").rstrip() + "  # sleuth: ignore[double-softmax]\n", "utf-8")
    assert lint([package]).findings == lint([package / "main.py"]).findings == ()


def test_a_line_taken_out_shows_in_the_diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = LOOP.splitlines(keepends=True)
    path = written(tmp_path, "".join([lines[0], "    optimizer.zero_grad()\n", *lines[1:], DOUBLE]))
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm first"):
        subprocess.run(["git", *words.split()], check=True, capture_output=True)
    path.write_text(LOOP + DOUBLE, "utf-8")
    found = only_changed(lint([Path("piece.py")]), "HEAD").findings
    assert [finding.cause for finding in found] == ["missing-zero-grad"]


# --- notebooks ---


def notebook(folder: Path, *cells: str, old: bool = False) -> Path:
    key = "input" if old else "source"
    made = [{"cell_type": "code", key: text.splitlines(keepends=True)} for text in cells]
    content = {"worksheets": [{"cells": made}], "nbformat": 3} if old else {"cells": made, "nbformat": 4}
    return written(folder, json.dumps(content), "work.ipynb")


@pytest.mark.parametrize("old", [False, True])
def test_lines_in_messages_are_those_of_cells(tmp_path: Path, old: bool) -> None:
    head, model, loss = DOUBLE.splitlines(keepends=True)
    (found,) = lint([notebook(tmp_path, head, model, f"\n\n{loss}", old=old)]).findings
    assert found.where is not None
    assert (found.where.cell, found.where.line) == (2, 1)
    assert "line 3 of cell 3" in found.message


def test_a_broken_cell_is_told_with_its_place(tmp_path: Path) -> None:
    head, model, loss = DOUBLE.splitlines(keepends=True)
    result = lint([notebook(tmp_path, head, f"x = (\n{model}", loss)])
    assert [(one.cause, one.where and one.where.cell) for one in result.findings] == [("double-softmax", 2)]
    (trouble,) = result.troubles
    assert trouble.partly
    assert "cell 2, line 1" in trouble.reason
    assert str(trouble).endswith("The rest was read.")


def test_a_repair_in_a_notebook_changes_its_line_alone(tmp_path: Path) -> None:
    head, model, loss = DOUBLE.splitlines(keepends=True)
    path = notebook(tmp_path, f"%matplotlib inline\n{head}", f"# caf\xe9\n{model}\nshown = 1", loss)
    before = json.dumps(json.loads(path.read_text("utf-8")), indent=1, ensure_ascii=False) + "\n"
    path.write_text(before, "utf-8")
    (planned,) = repairs(lint([path]).findings, unsafe=True)
    assert planned.count == 1
    write([planned])
    assert path.read_text("utf-8") == before.replace("nn.Softmax(dim=1)", "nn.Identity()")
    assert not lint([path]).findings


KEPT = """for turn in range(9):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()
    if score(net) > best:
        best, kept = score(net), net.state_dict()
"""


def test_an_import_goes_to_the_cell_of_its_line(tmp_path: Path) -> None:
    path = notebook(tmp_path, "import torch\n", KEPT, "net.load_state_dict(kept)")
    write(repairs(lint([path]).findings))
    cells = ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]
    assert "import copy" in cells[0]
    assert "copy.deepcopy(net.state_dict())" in cells[1]


def test_a_notebook_written_in_an_unknown_way_is_left_as_it_is(tmp_path: Path) -> None:
    path = notebook(tmp_path, DOUBLE)
    path.write_text(path.read_text("utf-8").replace('"nbformat": 4', '"nbformat":   4'), "utf-8")
    assert repairs(lint([path]).findings, unsafe=True) == []
