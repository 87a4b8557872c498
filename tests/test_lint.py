"""The linter as a tool: suppression, configuration, cache, changed lines, repairs, formats, notebooks."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

import jsonschema
import pytest

from sleuth import catalog
from sleuth.finding import Edit, Finding, Where
from sleuth.lint import Selection, lint
from sleuth.lint.cache import Cache
from sleuth.lint.fix import repairs, write
from sleuth.show.lint_formats import render

BROKEN = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
"""
GUILTY = 4


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(BROKEN)
    return path


def slugs(path: Path, selection: Selection | None = None) -> list[str]:
    return [finding.cause for finding in lint([path], selection).findings]


def run(folder: Path, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", "lint", *words]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, check=False)


def test_the_script_has_one_bug(script: Path) -> None:
    assert slugs(script) == ["double-softmax"]


@pytest.mark.parametrize(
    "mark", ["ignore[double-softmax]", "ignore", "ignore[loss]", "ignore[x, double-softmax]"]
)
def test_a_comment_on_the_line_silences(script: Path, mark: str) -> None:
    lines = BROKEN.splitlines()
    lines[GUILTY - 1] += f"  # sleuth: {mark}"
    script.write_text("\n".join(lines))
    assert slugs(script) == []


def test_a_comment_for_another_cause_or_on_another_line_does_not(script: Path) -> None:
    script.write_text(BROKEN.replace("dim=1))", "dim=1))  # sleuth: ignore[dead-relu]"))
    assert slugs(script) == ["double-softmax"]
    script.write_text(BROKEN.replace("lr=0.1)", "lr=0.1)  # sleuth: ignore"))
    assert slugs(script) == ["double-softmax"]


def test_a_comment_for_the_file_silences_wherever_it_stands(script: Path) -> None:
    script.write_text(BROKEN + "# sleuth: ignore-file[double-softmax]\n")
    assert slugs(script) == []


def test_select_and_ignore_take_causes_and_families(script: Path) -> None:
    assert slugs(script, Selection(select=("loss",))) == ["double-softmax"]
    assert slugs(script, Selection(select=("training",))) == []
    assert slugs(script, Selection(ignore=("double-softmax",))) == []


def test_pyproject_configures_and_the_command_line_adds(script: Path) -> None:
    config = script.parent / "pyproject.toml"
    config.write_text('[tool.sleuth.lint]\nignore = ["double-softmax"]\n')
    assert run(script.parent, "train.py").returncode == 0
    config.write_text('[tool.sleuth.lint]\nexclude = ["train*"]\n')
    assert run(script.parent, ".").returncode == 2
    config.write_text('[tool.sleuth.lint]\nignroe = ["x"]\n')
    assert "Did you mean 'ignore'?" in run(script.parent, "train.py").stderr
    config.write_text("[tool.sleuth.lint]\nignore = 3\n")
    assert "must be a list" in run(script.parent, "train.py").stderr


def test_the_cache_gives_the_same_answer_and_notices_changes(script: Path) -> None:
    cache = Cache(script.parent / "cache")
    first = lint([script], cache=cache)
    assert cache.recall(script, script.read_bytes()) is not None
    assert lint([script], cache=cache) == first
    script.write_text(BROKEN.replace(", nn.Softmax(dim=1)", ""))
    assert lint([script], cache=cache).findings == ()


def test_the_cache_notices_a_change_in_an_imported_file(tmp_path: Path) -> None:
    net = (
        "from torch import nn\n\ndef build():\n    return nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))\n"
    )
    (tmp_path / "net.py").write_text(net)
    script = tmp_path / "train.py"
    script.write_text(
        BROKEN.replace("nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))", "build()").replace(
            "import torch\n", "import torch\nfrom net import build\n"
        )
    )
    cache = Cache(tmp_path / "cache")
    (finding,) = lint([script], cache=cache).findings
    assert finding.where is not None
    assert (Path(finding.where.path or "").name, finding.where.line) == ("net.py", 4)
    (tmp_path / "net.py").write_text(net.replace(", nn.Softmax(dim=1)", ""))
    assert lint([script], cache=cache).findings == ()


def test_a_bug_in_an_imported_file_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(
        "from torch import nn\nnet = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))\n"
    )
    for name in ("one.py", "two.py"):
        text = "import torch.nn.functional as F\nfrom net import net\nloss = F.cross_entropy(net(x), y)\n"
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    (finding,) = lint([Path()]).findings
    assert str(finding.where) == "net.py:2"


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"rules": 1, "report": []}'])
def test_a_damaged_cache_costs_time_only(script: Path, text: str) -> None:
    cache = Cache(script.parent / "cache")
    lint([script], cache=cache)
    for file in cache.folder.rglob("*.json"):
        file.write_text(text)
    assert [finding.cause for finding in lint([script], cache=cache).findings] == ["double-softmax"]


def test_a_cache_that_cannot_be_written_is_no_error(script: Path) -> None:
    (script.parent / "file").write_text("in the way")
    assert lint([script], cache=Cache(script.parent / "file" / "cache")).findings


def test_many_files_are_shared_out_with_the_same_result(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"train_{number:02}.py").write_text(BROKEN)
    pooled, alone = lint([tmp_path], jobs=2), lint([tmp_path], jobs=1)
    assert len(pooled.findings) == 50
    assert pooled == alone


def test_a_rule_that_fails_does_not_stop_the_others(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(program: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(catalog.find("missing-step").module, "lint", failing)
    monkeypatch.setattr("sleuth.lint.work._workshop", None)
    result = lint([script])
    assert [finding.cause for finding in result.findings] == ["double-softmax"]
    (trouble,) = result.troubles
    assert "missing-step (KeyError: 'oops')" in str(trouble)


def test_links_that_go_round_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    os.symlink(tmp_path, tmp_path / "again", target_is_directory=True)
    os.symlink(tmp_path / "train.py", tmp_path / "copy.py")
    os.symlink(tmp_path / "nowhere.py", tmp_path / "dangling.py")
    result = lint([tmp_path])
    assert len(result.findings) == 1


def test_only_changed_lines_with_diff(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    script = tmp_path / "train.py"
    git("init", "-q")
    script.write_text(BROKEN)
    git("add", ".")
    git("commit", "-qm", "first")
    assert run(tmp_path, "--diff", "HEAD", "train.py").returncode == 0
    script.write_text(BROKEN.replace("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=True)"))
    assert run(tmp_path, "--diff", "HEAD", "train.py").returncode == 0
    script.write_text(BROKEN.replace("nn.Softmax(dim=1)", "nn.Softmax(dim=-1)"))
    assert run(tmp_path, "--diff", "HEAD", "train.py").returncode == 1
    (tmp_path / "new.py").write_text(BROKEN)
    assert run(tmp_path, "--diff", "HEAD", "new.py").returncode == 1
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.py").write_text(BROKEN)
    assert run(tmp_path / "sub", "--diff", "HEAD", "other.py").returncode == 1


def test_standard_input_is_read_under_its_name(tmp_path: Path) -> None:
    done = run(tmp_path, "-", "--stdin-filename", "cell.py", stdin=BROKEN)
    assert done.returncode == 1
    assert done.stdout.startswith(f"cell.py:{GUILTY}:")


def test_a_notebook_finding_names_cell_and_line(tmp_path: Path) -> None:
    cells = [BROKEN[: BROKEN.index("for ")], "%matplotlib inline\n" + BROKEN[BROKEN.index("for ") :]]
    book = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4, "metadata": {}}
    (tmp_path / "train.ipynb").write_text(json.dumps(book))
    done = run(tmp_path, "train.ipynb")
    assert f"train.ipynb:cell 1:{GUILTY}:" in done.stdout
    assert "nn.Softmax(dim=1)" in done.stdout


def finding_with(edit: Edit) -> Finding:
    return Finding("m", where=Where(edit.path, edit.line), cause="x", edits=(edit,))


def test_repairs_are_a_diff_first_and_written_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\nb = 2\nc = 3\n")
    finding = finding_with(Edit(str(path), 2, 5, 2, 6, "20"))
    (repair,) = repairs([finding])
    assert "-b = 2\n+b = 20\n" in repair.diff()
    assert path.read_text() == "a = 1\nb = 2\nc = 3\n"
    write([repair])
    assert path.read_text() == "a = 1\nb = 20\nc = 3\n"


def test_unsafe_repairs_are_apart_and_overlapping_ones_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\nb = 2\n")
    unsafe = finding_with(Edit(str(path), 1, 5, 1, 6, "9", safe=False))
    assert repairs([unsafe]) == []
    (repair,) = repairs([unsafe, finding_with(Edit(str(path), 1, 1, 1, 6, "z = 0"))], unsafe=True)
    assert repair.after in ("a = 9\nb = 2\n", "z = 0\nb = 2\n")
    assert repair.count == 1


def test_the_rules_repairs_mend_what_they_found(tmp_path: Path) -> None:
    """Each broken script, repaired as its finding proposes, is found to be fine."""
    scripts = {
        "softmax": BROKEN,
        "functional": BROKEN.replace(", nn.Softmax(dim=1)", "").replace(
            "(model(x), y)", "(model(x).softmax(1), y)"
        ),
        "no zero_grad": BROKEN.replace(", nn.Softmax(dim=1)", "").replace("    optimizer.zero_grad()\n", ""),
        "no parentheses": BROKEN.replace(", nn.Softmax(dim=1)", "").replace(
            "optimizer.step()", "optimizer.step"
        ),
    }
    for name, text in scripts.items():
        path = tmp_path / "train.py"
        path.write_text(text)
        found = lint([path]).findings
        assert found, name
        planned = repairs(found, unsafe=True)
        write(planned)
        assert lint([path]).findings == (), (name, path.read_text())


def test_fix_on_the_command_line_asks_before_it_writes(script: Path) -> None:
    text = BROKEN.replace(", nn.Softmax(dim=1)", "").replace("optimizer.step()", "optimizer.step")
    script.write_text(text)
    done = run(script.parent, "--fix", "train.py")
    assert done.returncode == 1
    assert "+    optimizer.step()" in done.stdout
    assert "Nothing was written" in done.stderr
    assert script.read_text() == text
    done = run(script.parent, "--fix", "--yes", "train.py")
    assert done.returncode == 0
    assert "    optimizer.step()\n" in script.read_text()


def _hear_ctrl_c() -> None:
    """A test run in the background ignores Ctrl-C, and what it starts would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_watch_lints_again_when_a_file_changes(script: Path) -> None:
    command = [sys.executable, "-u", "-m", "sleuth", "lint", "--watch", "train.py"]
    with subprocess.Popen(
        command,
        cwd=script.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=_hear_ctrl_c,
    ) as process:
        try:
            assert process.stdout is not None
            assert "[double-softmax]" in _until_watching(process.stdout)
            script.write_text(BROKEN.replace(", nn.Softmax(dim=1)", ""))
            assert "Nothing found" in _until_watching(process.stdout)
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        finally:
            process.kill()


def _until_watching(output: IO[str]) -> str:
    seen = ""
    while "Watching" not in seen:
        line = output.readline()
        assert line, f"it ended early: {seen}"
        seen += line
    return seen


def test_sarif_is_sarif(script: Path) -> None:
    data = json.loads(render(lint([script]), "sarif"))
    jsonschema.validate(data, SARIF_CORE)
    (result,) = data["runs"][0]["results"]
    assert result["ruleId"] == "double-softmax"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == GUILTY


def test_github_annotations_are_one_line_each(script: Path) -> None:
    (line,) = render(lint([script]), "github").splitlines()
    assert line.startswith("::error file=")
    assert f"line={GUILTY}" in line


def test_junit_counts_what_it_lists(script: Path) -> None:
    suite = ElementTree.fromstring(render(lint([script]), "junit"))[0]
    assert suite.attrib["failures"] == "1"
    assert suite[0].attrib["classname"] == "double-softmax"


def test_an_audit_lists_places_and_accuses_nobody(script: Path) -> None:
    done = run(script.parent, "--audit", "train.py")
    assert done.returncode == 0
    assert f"train.py:{GUILTY}" in done.stdout
    assert "over which axis" in done.stdout


# The part of the SARIF 2.1.0 schema that consumers rely on.
SARIF_CORE = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {"type": "object", "required": ["driver"]},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "locations"],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"type": "object", "required": ["text"]},
                            },
                        },
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("flags", [(), ("-q",), ("--quiet", "--notes"), ("--no-cache",)])
@pytest.mark.parametrize("what", ["train.py", ".", "missing.py", "broken.txt", "-"])
def test_the_short_way_says_what_the_long_way_says(script: Path, flags: tuple[str, ...], what: str) -> None:
    """Plain requests are read by hand; with `--format text`, which changes nothing, by the library."""
    (script.parent / "broken.txt").write_text("def (:")
    short = run(script.parent, *flags, what, stdin=BROKEN)
    long = run(script.parent, *flags, "--format", "text", what, stdin=BROKEN)
    assert (short.stdout, short.stderr, short.returncode) == (long.stdout, long.stderr, long.returncode)
    assert short.returncode == (2 if what in ("missing.py", "broken.txt") else 1)
