"""An archive made by somebody who means harm: every page answers, and shows what stands there as text."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sleuth.archive.index import write as index_run
from sleuth.archive.record import digest
from sleuth.archive.run import Run
from tests.ui.made import Client, run, served

EVIL = "<script>alert(1)</script>\x1b[31m'\"--><img src=x onerror=alert(2)>\u202e\x00"
STRANGE: tuple[object, ...] = (
    None,
    True,
    3,
    -1e400,
    10**30,
    "x" * 100_000,
    [],
    [None, {"a": [1]}],
    {"a": {"b": None}},
    EVIL,
)
FIELDS = (
    "command script started ended exit_code findings summary code environment packages seeds kind cwd host "
    "pid steps"
).split()


def strange_runs(home: Path) -> Iterator[str]:
    for number, value in enumerate(STRANGE):
        for where in ("meta.json", "end.json"):
            name = f"2026-{number}-{where[0]}"
            folder = home / "runs" / name
            folder.mkdir(parents=True)
            (folder / "meta.json").write_text(
                json.dumps({"ended": 5} if where == "end.json" else dict.fromkeys(FIELDS, value))
            )
            (folder / "end.json").write_text(json.dumps(dict.fromkeys(FIELDS, value)))
            (folder / "marks.json").write_text(json.dumps(dict.fromkeys(("star", "tags", "note"), value)))
            yield name


def evil_run(home: Path) -> str:
    """Well formed, with evil words in every place."""
    folder = home / "runs" / "2026-evil"
    (folder / "code").mkdir(parents=True)
    finding = {
        "cause": EVIL,
        "message": EVIL,
        "severity": "error",
        "credence": 0.9,
        "fix": EVIL,
        "family": EVIL,
        "where": {"path": "evil.py", "line": 2},
        "numbers": {"step": 1},
        "confirmed_by": [EVIL],
        "sources": [EVIL],
    }
    meta = {
        "started": 1.7e9,
        "ended": 1.7e9 + 5,
        "exit_code": 0,
        "script": f"/p/{EVIL}.py",
        "findings": [finding],
        "command": ["python", EVIL, "--lr", EVIL, f"--{EVIL}", "1"],
        "environment": {EVIL: EVIL},
        "cwd": EVIL,
        "packages": {EVIL: EVIL},
        "summary": {"verdict": {"status": "cause-found", "summary": EVIL}},
        "host": EVIL,
        "code": {"commit": EVIL, "root": EVIL, "script": "evil.py"},
        "seeds": [{"what": EVIL, "value": EVIL}],
    }
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "marks.json").write_text(json.dumps({"star": True, "tags": [EVIL], "note": EVIL}))
    (folder / "code" / "evil.py").write_text(f"# {EVIL}\n# {EVIL}\n")
    (folder / "stdout.txt").write_bytes(
        (EVIL + "\r" + EVIL).encode() + b"\xff\xfe" * 50 + b"\n" + b"y" * 3_000_000
    )
    events = [{"kind": "step", "n": n, "loss": 1.0 / (n + 1), EVIL: n} for n in range(30)]
    events += [{"kind": "metric", "name": EVIL, "value": float(n), "n": 2**70 * n} for n in range(5)]
    events += [
        {"kind": "layers", "n": n, "gradients": {EVIL: 1.0, "w": "nan"}, "activations": {EVIL: 3}}
        for n in range(5)
    ]
    lines = [
        *map(json.dumps, events),
        "{",
        "[" * 100_000,
        "[1]",
        '{"kind": 3}',
        '{"kind": "step", "n": "x", "loss": {}}',
    ]
    (folder / "record.jsonl").write_text("\n".join(lines) + "\n" + '{"kind": "step", "lo')
    return folder.name


def more_evil(home: Path) -> None:
    (home / "cases").mkdir()
    lines = [
        {"kind": "opened", "title": EVIL, "catalog": False},
        {"kind": "hypothesis", "name": EVIL, "prior": 1, "refuted_by": EVIL},
        {"kind": "test", "name": EVIL, "question": EVIL, "cost": 1, "likelihoods": {EVIL: "always"}},
        {"kind": "observed", "test": EVIL, "answer": "yes", "note": EVIL},
        {"kind": "verdict", "status": EVIL, "summary": EVIL},
    ]
    (home / "cases" / "evil.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for number, value in enumerate(STRANGE):
        told = [
            {
                "kind": kind,
                **dict.fromkeys(("title", "name", "prior", "test", "answer", "strength", "cause"), value),
            }
            for kind in ("opened", "hypothesis", "test", "observed", "clue", "verdict", "run")
        ]
        (home / "cases" / f"strange-{number}.jsonl").write_text("\n".join(map(json.dumps, told)))
    (home / "cases" / "torn.jsonl").write_text('{"kind": "ope')
    (home / "cases" / "link.jsonl").symlink_to("/etc/passwd")
    (home / "journal.md").write_text(
        f"# x\n\n## 2026-01-01\n\n- 10:00 [{EVIL}] #result {EVIL}: {EVIL}\n{EVIL}\n"
        f"- 99:99 [x] #question {EVIL}\n"
    )
    for name, value in zip("abcdefghij", STRANGE, strict=True):
        sweep = home / "sweeps" / name
        (sweep / "runs" / "1.1").mkdir(parents=True)
        (sweep / "plan.json").write_text(json.dumps(value))
        (sweep / "runs" / "1.1" / "config.json").write_text(json.dumps(value))
        (sweep / "runs" / "1.1" / "result.json").write_text(json.dumps(value))
    (home / "reports").mkdir()
    for number, value in enumerate(STRANGE):
        (home / "reports" / f"r{number}.json").write_text(
            json.dumps(
                {
                    "schema": "sleuth.evil/1",
                    "findings": [value],
                    "verdict": value,
                    "rows": [value, value],
                    EVIL: {EVIL: value},
                }
            )
        )
    (home / "reports" / "deep.json").write_text('{"a":' * 50_000 + "1" + "}" * 50_000)
    (home / "reports" / "text.json").write_text("\x00\xff nothing")
    (home / "reports" / "link.json").symlink_to("/etc/passwd")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile") / ".sleuth"
    run(home, "--lr", "0.1")
    list(strange_runs(home))
    evil_run(home)
    more_evil(home)
    return home


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[Client]:
    with served(home) as client:
        yield client


class Looked(HTMLParser):
    """What a browser would make of a page: elements, and attributes that run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.running: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        told = dict(attributes)
        self.running += [name for name in told if name.startswith("on") or name == "style"]
        values = [value or "" for value in told.values()]
        self.running += [value for value in values if value.strip().lower().startswith("javascript:")]
        if tag == "script" and not (told.get("src") or "").startswith("/static/"):
            self.running.append("script")


def checked(text: str) -> None:
    """Nothing of the evil words works: no element of theirs, no attribute, no control character."""
    found = Looked()
    found.feed(text)
    assert not found.running
    assert not found.tags & {"img", "iframe", "object", "embed", "base", "meta refresh"}
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202e]", text)


PARTS = (
    "",
    "/head",
    "/curves",
    "/more",
    "/layers",
    "/code",
    "/changes",
    "/output",
    "/output?stream=stderr",
    "/triage",
)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_every_run_is_shown(client: Client, home: Path, part: str) -> None:
    for folder in sorted((home / "runs").iterdir()):
        checked(client.page(f"/run/{folder.name}{part}"))


def test_lists_and_rooms_are_shown(client: Client) -> None:
    places = [
        "/",
        "/?sort=value&up=1",
        "/?q=alert",
        "/?metric=%3Cscript%3E",
        "/cases",
        "/journal",
        "/journal?day=2026-01-01",
        "/sweeps",
        "/reports",
        "/causes?q=%3Cscript%3Ealert",
    ]
    for place in places:
        checked(client.page(place))


@pytest.mark.parametrize("room", ["/cases", "/sweeps", "/reports"])
def test_what_the_rooms_lead_to_is_shown(client: Client, room: str) -> None:
    links = re.findall(r'class="id" href="([^"]+)"', client.page(room))
    assert links
    for link in links:
        status, text, _ = client.ask(link)
        assert status in (200, 413, 422), (link, text[-300:])
        assert "root:" not in text
        checked(text)


def test_links_to_other_files_are_not_followed(client: Client) -> None:
    for place in ("/case/0/link", "/report/0/link.json"):
        assert client.ask(place)[0] == 404


def test_evil_and_good_are_compared(client: Client, home: Path) -> None:
    names = sorted(folder.name for folder in (home / "runs").iterdir())
    checked(client.page("/compare?" + "&".join(f"run={name}" for name in names)))


def test_the_evil_words_are_there_to_be_read(client: Client) -> None:
    text = client.page("/run/2026-evil")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_a_damaged_index_or_cache_costs_nothing(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    made = run(home, "--lr", "0.1")
    for name in ("index.sqlite", "ui.sqlite"):
        (home / name).write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    with served(home) as client:
        assert made.id in client.page("/")
        assert client.page(f"/run/{made.id}").count("<svg") > 2


def test_a_forged_series_is_no_bomb(tmp_path: Path) -> None:
    import sqlite3
    import zlib

    home = tmp_path / ".sleuth"
    made = run(home, "--lr", "0.1")
    bomb = zlib.compress(b"\0" * 400_000_000, 9)
    with sqlite3.connect(home / "index.sqlite") as db:
        db.execute("UPDATE series SET steps = ?, vals = ?", (bomb, b"d" + bomb))
    with served(home) as client:
        text = client.page(f"/run/{made.id}")
        assert "no values yet" in text or "not finite" in text or "No number" in text


def test_the_archive_of_another_version_is_read_from_its_folders(tmp_path: Path) -> None:
    import sqlite3

    home = tmp_path / ".sleuth"
    made = run(home, "--lr", "0.1")
    with sqlite3.connect(home / "index.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with served(home) as client:
        assert made.id in client.page("/")


def test_the_index_takes_no_harm_from_pages(home: Path) -> None:
    """Pages only read: the good run is in the index as before."""
    names = [folder for folder in (home / "runs").iterdir() if re.match(r"\d{8}-", folder.name)]
    assert len(names) == 1
    again = Run(names[0].name, names[0])
    index_run(again, again.meta, digest(again.events()))
    assert len(again.all_series()["step/loss"]) == 30
