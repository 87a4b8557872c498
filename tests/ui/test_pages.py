"""What the pages say, asked of a real server, without a browser."""

import json
import os
import re
import socket
import time
from datetime import date
from pathlib import Path

from sleuth.archive import journal
from sleuth.archive.marks import marks
from sleuth.diagnosis import ledger as ledgers
from sleuth.ui.journal_logs import LOGS, entry, written
from tests.archive.made import sleuth, write
from tests.ui.made import many, run, script, served


def words(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_the_list_shows_what_was_asked_and_where_it_went(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    good, bad = (
        run(home, "--lr", "0.1", "--depth", "2"),
        run(home, "--lr", "5", "--depth", "2", lr=5.0, bad=True),
    )
    with served(home) as client:
        text = client.page("/")
        rows = re.findall(r"<tr data-run=.*?</tr>", text, re.S)
        assert [good.id in rows[1], bad.id in rows[0]] == [True, True]  # newest first
        assert "lr 5" in rows[0]
        assert "depth" not in rows[0]  # the same in both
        assert "lr-too-high" in rows[0]
        assert "<svg class='spark" in rows[0]
        assert "1 of 2 runs" in words(client.page("/?q=lr>1"))
        assert "None of the 2 runs fits" in words(client.page("/?q=nothing-like-it"))
        assert "no status" in client.page("/?q=status:gone")


def test_a_page_of_the_list_holds_a_hundred(tmp_path: Path) -> None:
    many(tmp_path / ".sleuth", 130)
    with served(tmp_path / ".sleuth") as client:
        first, second = client.page("/"), client.page("/?page=1")
        assert [page.count("<tr data-run=") for page in (first, second)] == [100, 30]
        assert "130 of 130" in words(first)
        ids = re.findall(r'<tr data-run="([^"]+)"', first + second)
        assert len(set(ids)) == 130
        assert ids == sorted(ids, reverse=True)


def test_a_run_says_the_verdict_first_and_marks_the_line(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    run(home, "--lr", "0.1")
    bad = run(home, "--lr", "5", lr=5.0, bad=True)
    with served(home) as client:
        text = client.page(f"/run/{bad.id}")
        assert text.index("Cause found") < text.index(
            "lr-too-high</h3>" if "lr-too-high</h3>" in text else "lr-too-high"
        )
        assert re.search(r'guilty"><span class="nr">3</span>lr = 0.1', text)
        assert "(step 5)" in text  # pinned to its step
        code = client.page(f"/run/{bad.id}/code")
        assert re.search(r'guilty" id="line3"', code)
        assert "+ python" in words(client.page(f"/run/{bad.id}/changes"))
        assert "epoch 1 loss 0.5" in client.page(f"/run/{bad.id}/output?find=LOSS")
        assert "1 of 2 lines" in client.page(f"/run/{bad.id}/output?find=LOSS")


def test_curves_of_some_steps_show_those(tmp_path: Path) -> None:
    made = run(tmp_path / ".sleuth", count=1000)
    with served(tmp_path / ".sleuth") as client:
        text = client.page(f"/run/{made.id}/curves?from=100&to=110")
        steps = re.search(r"data-name='training' data-steps='([^']+)'", text)
        assert steps is not None
        assert steps[1].split() == [str(step) for step in range(99, 112)]  # one more on either side


def test_marks_are_kept_in_the_run_and_shown(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    made = run(home)
    with served(home) as client:
        client.post(f"/run/{made.id}/marks", star="1")
        client.post(f"/run/{made.id}/marks", tags="baseline, slow", note="The <best> so far")
        held = marks(made.folder)
        assert (held.star, held.tags, held.note) == (True, ("baseline", "slow"), "The <best> so far")
        assert "The &lt;best&gt; so far" in client.page("/?q=tag:slow+is:starred")


def test_a_run_that_goes_on_is_seen_to_go_on(tmp_path: Path) -> None:
    from sleuth import archive

    home = tmp_path / ".sleuth"
    path = script(tmp_path / "project")
    made = archive.begin(["python", str(path), "--lr", "0.1"], path, home=home)
    write(made, [{"kind": "step", "n": n, "loss": 2.0 - n / 100} for n in range(50)])
    with served(home) as client:
        assert "Still training" in client.page(f"/run/{made.id}")
        assert "status running" in client.page("/")
        before = _first_event(client.door.port, client.door.cookie, client.door.token, made.id)
        write(made, [{"kind": "step", "n": n, "loss": 2.0 - n / 100} for n in range(50, 80)])
        after = _first_event(client.door.port, client.door.cookie, client.door.token, made.id)
        assert before != after
        assert "1.21" in words(client.page(f"/run/{made.id}/head"))
        made.finish(0)
        end = time.monotonic() + 60
        while "status finished" not in client.page(f"/run/{made.id}/head"):
            assert time.monotonic() < end
            time.sleep(0.1)  # the folders are looked at now and then


def _first_event(port: int, cookie: str, token: str, run_id: str) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
        head = f"Host: 127.0.0.1:{port}\r\nCookie: {cookie}={token}"
        link.sendall(f"GET /events?run={run_id} HTTP/1.1\r\n{head}\r\n\r\n".encode())
        text = b""
        while b"data: " not in text or not text.rpartition(b"data: ")[2].strip():
            text += link.recv(4096)
    return text.decode().rpartition("data: ")[2].split()[0]


def test_two_runs_and_the_setting_that_made_the_difference(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    one, other = run(home, "--lr", "0.1"), run(home, "--lr", "0.001", lr=0.001)
    with served(home) as client:
        text = words(client.page(f"/compare?run={one.id}&run={other.id}"))
        assert "They differ in lr (0.1 against 0.001)." in text
        assert "parts at step 1, by 1 % from step" in text
        assert "may be chance" in text
        assert client.ask(f"/compare?run={one.id}")[0] == 400


def test_seeds_are_grouped_and_the_difference_is_judged(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    runs = [
        run(home, "--lr", str(lr), "--seed", str(seed), lr=lr, seed=seed)
        for lr in (0.1, 1.0)
        for seed in range(4)
    ]
    with served(home) as client:
        text = client.page("/compare?" + "&".join(f"run={one.id}" for one in runs))
        assert "mean and range over seeds" in text
        assert "is reliably better" in words(text)
        assert len(set(re.findall(r"data-name='(lr [^']+)'", text))) == 2


def test_more_than_one_setting_is_not_blamed_on_one(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    runs = [
        run(home, "--lr", str(lr), "--depth", str(lr * 10), "--seed", str(s), lr=lr, seed=s)
        for lr in (0.1, 1.0)
        for s in range(3)
    ]
    with served(home) as client:
        text = words(client.page("/compare?" + "&".join(f"run={one.id}" for one in runs)))
        assert "More than one setting differs" in text


def test_a_case_moves_as_observations_come_in(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    held = ledgers.open_case("Flat loss", False, home)
    for line in (
        ledgers.hypothesis("rate", 1.0, "a higher rate is no better"),
        ledgers.hypothesis("data", 1.0, "another set is as bad"),
    ):
        held = ledgers.append(held, line)
    held = ledgers.append(
        held,
        ledgers.written_test(
            "ten times", "Better at ten times?", 2.0, {"rate": "always", "data": "never"}, held.prior()
        ),
    )
    with served(home) as client:
        page = f"/case/0/{held.path.stem}"
        before = words(client.page(page))
        assert "a higher rate is no better" in before
        assert "Next: ten times" in before
        assert client.post(f"{page}/observe", test="ten times", answer="yes", note="much better")[0] == 303
        after = words(client.page(page))
        assert "ten times says yes: much better → rate" in after
        assert _share(after, "rate") > _share(before, "rate")
        assert client.post(f"{page}/observe", test="no such", answer="yes")[0] == 400
        assert client.post(f"{page}/observe", test="ten times", answer="perhaps")[0] == 400
    assert json.loads(held.path.read_text().splitlines()[-1])["note"] == "much better"


def _share(text: str, name: str) -> float:
    found = re.search(rf"([\d.]+) ?% {name}", text)
    assert found is not None, text
    return float(found[1])


def test_the_journal_is_the_same_file(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    made = run(home)
    with served(home) as client:
        client.post("/journal/note", log="doing", text="the learning rate")
        client.post("/journal/note", log="question", text="is 0.1 too high?", run=made.id)
        client.post("/journal/note", log="result", topic="rate", text="0.1 is fine")
        client.post("/journal/note", log="thinking", text="# no heading")
        assert client.post("/journal/note", log="doing", text="  ")[0] == 400
        text = words(client.page("/journal"))
    told = [note.text for note in journal.notes(home)]
    assert told == [
        "#doing the learning rate",
        "#question is 0.1 too high?",
        "#result rate: 0.1 is fine",
        "#thinking # no heading",
    ]
    assert f"[{made.id}] #question" in (home / "journal.md").read_text()
    assert "rate" in text
    assert f"{date.today():%Y-%m-%d}" in text
    assert "0.1 is fine" in sleuth("journal", "--home", str(home)).stdout


def test_a_note_keeps_its_log_there_and_back() -> None:
    for log in LOGS:
        for text in ("plain words", "#result x: y", "#doing"):
            line = written(log, "", text)
            note = journal.Note("2026-01-01", "10:00", line)
            assert (entry(note).log, entry(note).text) in ((log, text), (log, text.partition(": ")[2]))


def test_reports_are_rendered_by_their_shape(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    run(home)
    (home / "reports").mkdir()
    told = {
        "schema": "sleuth.battery/1",
        "verdict": {"status": "cause-found", "summary": "Slower than before."},
        "rows": [{"task": "fit", "seconds": 1.5}, {"task": "probe", "seconds": 2.5}],
        "curve": list(range(20)),
        "grid": [[1, 2, 3]] * 3,
        "notes": ["first", "second"],
    }
    (home / "reports" / "speed.json").write_text(json.dumps(told))
    with served(home) as client:
        assert "battery" in client.page("/reports")
        text = client.page("/report/0/speed.json")
    assert "Slower than before." in text
    assert "<td>probe</td>" in text
    assert "<li>second</li>" in text
    assert text.count("<figure") == 2


def test_causes_can_be_searched_and_the_map_walked(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    bad = run(home, bad=True)
    with served(home) as client:
        assert "double-softmax" not in client.page("/causes?q=duplicate-worker-seed")
        text = client.page("/cause/lr-too-high")
        assert bad.id in text  # found in
        links = re.findall(r'href="(/map\?claim=[^"]+)"', text)
        assert links
        assert "for" in words(client.page(links[0]))
        assert client.ask("/cause/no-such")[0] == 404
        assert client.ask("/map?claim=no-such")[0] == 404


def test_the_cache_may_be_deleted(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    made = run(home, count=3000)
    with served(home) as client:
        before = client.page(f"/run/{made.id}/curves")
        for path in home.glob("ui.sqlite*"):
            path.unlink()
        assert client.page(f"/run/{made.id}/curves") == before
        assert (home / "ui.sqlite").exists()


def test_an_archive_that_cannot_be_written_is_shown(tmp_path: Path) -> None:
    home = tmp_path / ".sleuth"
    made = run(home)
    (home / "ui.sqlite").unlink(missing_ok=True)
    os.chmod(home, 0o555)
    try:
        with served(home) as client:
            assert "<svg" in client.page(f"/run/{made.id}")
    finally:
        os.chmod(home, 0o755)


def test_several_archives_are_shown_together(tmp_path: Path) -> None:
    homes = [tmp_path / name / ".sleuth" for name in ("one", "two")]
    runs = [run(home) for home in homes]
    with served(*homes) as client:
        text = client.page("/")
        assert all(one.id in text for one in runs)
        client.post("/journal/note", log="doing", text="about two", run=runs[1].id)
    assert not (homes[0] / "journal.md").exists()
    assert "about two" in (homes[1] / "journal.md").read_text()


def test_the_verb_prints_the_link_first_and_ends_on_a_wrong_request(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = sleuth("ui", "--no-open", "--port", str(taken.getsockname()[1]), cwd=tmp_path)
    assert done.returncode == 2
    assert "--port 0" in done.stderr
    assert "Traceback" not in done.stderr


def test_everything_is_exported_as_plain_pages(tmp_path: Path) -> None:
    home, out = tmp_path / ".sleuth", tmp_path / "out"
    made = run(home, bad=True)
    done = sleuth("ui", "--home", str(home), "--export", str(out))
    assert done.returncode == 0, done.stderr
    names = {path.name for path in out.iterdir()}
    assert {
        "index.html",
        "sleuth.css",
        "sleuth.js",
        f"run-{made.id}.html",
        "causes.html",
        "map.html",
    } <= names
    text = (out / f"run-{made.id}.html").read_text()
    assert "data-load" not in text
    assert len([name for name in names if "-code-" in name]) == 1  # a place in a page is no page
    assert "epoch 1 loss 0.5" in text  # parts stand in the page
    for path in out.glob("*.html"):
        found = re.findall(r'(?:href|src|action|formaction|data-href)="([^"]*)"', path.read_text())
        local = [link for link in found if not link.startswith(("http", "#"))]
        assert {link.partition("#")[0] for link in local} <= names | {f"./{name}" for name in names}, path
