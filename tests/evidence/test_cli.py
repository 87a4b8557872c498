"""`sleuth evidence` as a user meets it: exit codes, JSON, and what a faulty map brings."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.evidence.maps import NOTES, SEED, SMALL, needs_seed, write_small
from tests.test_cli import on_a_terminal, sleuth

FIELDS = {
    "quotes": {"claim", "line", "file", "anchor", "verdict", "found_at", "words"},
    "errors": {"line", "column", "severity", "rule", "message"},
    "claims": {"title", "credence", "interval"},
}


def evidence(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return sleuth("evidence", *map(str, words))


def report(*words: str | Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(evidence("check", *words, "--json", "-").stdout)
    return data


def test_our_own_map_is_clean() -> None:
    done = evidence("check")
    assert done.returncode == 0
    assert "0 errors, 0 warnings" in done.stdout


def test_the_report_has_the_promised_shape(tmp_path: Path) -> None:
    data = report(write_small(tmp_path, SMALL.replace("notes.md#L3-L4", "notes.md#L1")))
    assert data["schema"] == "sleuth.evidence/1"
    assert data["counts"] == {"statements": 6, "arguments": 2, "relations": 2}
    assert data["tags"] == {"observation": 2, "assumption": 1}
    for name, fields in FIELDS.items():
        assert all(set(entry) == fields for entry in data[name]), name
    first = data["quotes"][0]
    assert (first["claim"], first["line"], first["file"]) == ("Ada Measures", 20, "evidence/notes.md")
    assert (first["anchor"], first["verdict"], first["found_at"]) == ("L1", "MOVED", "L3-L4")
    assert {entry["title"] for entry in data["claims"]} == {"Descale", "Scale Matters", "Wires First"}


@needs_seed
def test_the_scraped_map_is_reported_though_its_evidence_is_missing() -> None:
    done = evidence("check", SEED, "--json", "-")
    assert done.returncode == 2
    assert "no evidence folder" in done.stderr
    data = json.loads(done.stdout)
    assert data["counts"] == {"statements": 45, "arguments": 14, "relations": 14}
    assert data["relations"] == {"for": 12, "against": 2}
    assert len(data["quotes"]) == 28
    (top,) = (entry for entry in data["claims"] if entry["title"] == "Folklore Reliable")
    assert top["credence"] == pytest.approx(0.837, abs=0.001)
    assert top["interval"] == pytest.approx([0.61, 0.98], abs=0.005)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("", "", 0),
        ("notes.md#L3-L4", "notes.md#L1", 0),
        ("kettle took", "took", 0),
        ("> and four after the lime was gone.", "> but five when that lime went.", 1),
        ("notes.md", "gone.md", 1),
        ('{reason: "rarely so", inference: 0.40}', "{inference: 0.40}", 1),
    ],
    ids=["clean", "moved", "gaps", "altered", "no file", "no reason"],
)
def test_exit_codes(tmp_path: Path, old: str, new: str, code: int) -> None:
    path = write_small(tmp_path, SMALL.replace("3 quotes", "2 quotes").replace(old or "\0", new))
    assert evidence("check", path).returncode == code
    if code == 0 and old:
        assert evidence("check", path, "--strict").returncode == 1


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("credence: 0.80}", "credence: 0.80", ":22:5: A data block opens"),
        ("credence: 0.80", "credence: 1.7", ":22:5: The credence of [Ada Measures] is 1.7"),
        ("[Low Voltage]", "[Bob Repeats]", ":38:1: Two statements are called [Bob Repeats]"),
        (SMALL[SMALL.index("(3) [Scale") :], "", ":29:1: No conclusion follows"),
        (SMALL, "Dear diary,\n", ":1:1: This is no argument map"),
    ],
    ids=["open brace", "out of range", "two of one name", "cut off", "not argdown"],
)
def test_a_faulty_map_is_refused_with_its_place(tmp_path: Path, old: str, new: str, place: str) -> None:
    path = write_small(tmp_path, SMALL.replace(old, new))
    for words in (["check"], ["show"], ["why", "Descale"], ["export"]):
        done = evidence(*words, path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"sleuth: {path}{place}")
        assert done.stderr.count("\n") == 1
    assert report(path)["errors"], "the JSON names the errors all the same"


def test_lenient_shows_what_can_be_read(tmp_path: Path) -> None:
    path = write_small(tmp_path, SMALL.replace("credence: 0.80}", "credence: 0.80"))
    done = evidence("check", path, "--lenient")
    assert done.returncode == 1
    assert "unclosed-data" in done.stdout
    assert "6 statements, 2 arguments" in done.stdout
    shown = evidence("show", path, "--lenient")
    assert shown.returncode == 0
    assert "[Scale Matters]" in shown.stdout
    assert ":22:5:" in shown.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check", "no_such.argdown"], "There is no map 'no_such.argdown'."),
        (["why", "Overfit Frist"], "Did you mean 'Overfit First'?"),
        (["chekc"], "chekc"),
        (["show", "--html", "no_such_folder/x.html"], "Cannot write"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_wrong_requests(words: list[str], sentence: str) -> None:
    done = evidence(*words)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.argdown"
    path.write_bytes(b"\x00\x01")
    assert "binary file" in evidence("check", path).stderr
    path.write_bytes(b"[A]: caf\xe9\n")
    assert "UTF-8" in evidence("check", path).stderr
    assert evidence("check", tmp_path).returncode == 2


def test_fix_rewrites_anchors_and_nothing_else(tmp_path: Path) -> None:
    path = write_small(tmp_path, SMALL.replace("notes.md#L3-L4", "notes.md#L1").replace("\n", "\r\n"))
    done = evidence("check", path, "--fix")
    assert "Rewrote 1 anchor" in done.stderr
    assert path.read_bytes().decode() == SMALL.replace("\n", "\r\n")
    assert "Rewrote 0 anchors" in evidence("check", path, "--fix").stderr


def test_a_lock_notices_a_replaced_source(tmp_path: Path) -> None:
    path = write_small(tmp_path)
    assert evidence("check", path, "--lock").returncode == 0
    (tmp_path / "evidence" / "notes.md").write_text("New preface.\n" + NOTES, "utf-8")
    text = evidence("check", path).stdout
    assert "source-replaced" in text
    assert "quote-moved" in text


def test_show_why_and_export(tmp_path: Path) -> None:
    path = write_small(tmp_path)
    shown = evidence("show", path).stdout
    for part in ("[Descale] 0.60", "+ [Scale Matters] 0.81", "- [Wires First] 0.20", "0.80 Byron: Ada timed"):
        assert part in shown
    reasons = evidence("why", "Descale", path).stdout
    for part in ("ignorance 0.66", "0.81 × 1.00 = 0.81", "Without one source", "dfquad"):
        assert part in reasons
    assert json.loads(evidence("why", "Descale", path, "--json", "-").stdout)["lineages"] == ["Byron", "Bob"]
    dot = evidence("export", path, "--format", "dot").stdout
    assert dot.startswith("digraph")
    assert '"[Wires First]" -> "[Descale]" [color="#c62828"' in dot
    exported = json.loads(evidence("export", path).stdout)
    assert exported["schema"] == "sleuth.evidence-map/1"
    assert exported["statements"][1]["quotes"][0]["evidence"] == "evidence/notes.md#L3-L4"
    target = tmp_path / "map.dot"
    assert evidence("export", path, "--format", "dot", "--output", target).stdout == ""
    assert target.read_text("utf-8") == dot


def test_other_semantics_can_be_chosen(tmp_path: Path) -> None:
    path = write_small(tmp_path)
    first = evidence("show", path, "-q", "--semantics", "product").stdout.split()[0]
    assert first != evidence("show", path, "-q").stdout.split()[0]


def test_colour_on_a_terminal_only(tmp_path: Path) -> None:
    path = str(write_small(tmp_path))
    assert "\x1b[" in on_a_terminal("evidence", "show", path)
    assert "\x1b[" not in sleuth("evidence", "show", path).stdout
