"""Who is let in, what may be written from where, and that nothing leads out of the archives."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sleuth.archive.marks import marks
from sleuth.ui.safety import door_of
from tests.ui.made import Client, run, served


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("safety") / ".sleuth"
    run(home, "--lr", "0.1")
    (home.parent / "secret.txt").write_text("SECRET")
    (home / "runs" / "leads-out").symlink_to(home.parent)
    made = next(path for path in (home / "runs").iterdir() if not path.is_symlink())
    (made / "artefacts").mkdir()
    (made / "artefacts" / "link.txt").symlink_to(home.parent / "secret.txt")
    (made / "artefacts" / "kept.txt").write_text("KEPT")
    return home


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[Client]:
    with served(home) as client:
        yield client


@pytest.fixture
def run_id(home: Path) -> str:
    return next(path.name for path in (home / "runs").iterdir() if not path.is_symlink())


def test_without_the_token_nothing_is_shown(client: Client) -> None:
    for path in ("/", "/static/sleuth.css", "/events", "/nowhere"):
        status, text, _ = client.ask(path, cookie=False)
        assert status == 403
        assert "sleuth ui" in text
    assert client.ask("/?token=wrong", cookie=False)[0] == 403
    assert client.ask("/", headers={"Cookie": f"{client.door.cookie}=wrong"}, cookie=False)[0] == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(client: Client) -> None:
    status, _, headers = client.ask(f"/?q=a+b&token={client.door.token}", cookie=False)
    assert (status, headers["location"]) == (303, "/?q=a+b")
    assert "httponly" in headers["set-cookie"].lower()
    assert "samesite=strict" in headers["set-cookie"].lower()


def test_the_token_leads_to_no_other_host(client: Client) -> None:
    _, _, headers = client.ask(f"//evil.example/?token={client.door.token}", cookie=False)
    assert headers["location"] == "/evil.example/"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""]
)
def test_another_name_is_refused(client: Client, host: str) -> None:
    assert client.ask("/", headers={"Host": host.format(port=client.door.port)})[0] == 421


def test_localhost_is_the_same(client: Client) -> None:
    assert client.ask("/", headers={"Host": f"localhost:{client.door.port}"})[0] == 200


def test_every_answer_carries_the_policy(client: Client) -> None:
    for path in ("/", "/nowhere", "/static/sleuth.js"):
        headers = client.ask(path)[2]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_writing_needs_the_same_origin(client: Client, home: Path, run_id: str) -> None:
    path = f"/run/{run_id}/marks"
    body, kind = "note=hacked", {"Content-Type": "application/x-www-form-urlencoded"}
    for origin in (
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert client.ask(path, "POST", body, headers=kind | origin)[0] == 403
    assert client.ask(path, "POST", body, cookie=False, headers=kind)[0] == 403
    assert client.ask(f"{path}?token={client.door.token}", "POST", body, cookie=False, headers=kind)[0] == 403
    assert marks(home / "runs" / run_id).note == ""
    assert client.post(path, note="mine")[0] == 303
    assert marks(home / "runs" / run_id).note == "mine"


def test_a_page_is_not_written_by_a_link(client: Client, run_id: str) -> None:
    assert client.ask(f"/run/{run_id}/marks?note=x")[0] == 405
    assert client.ask("/journal/note?text=x")[0] == 405
    assert client.ask("/", "DELETE")[0] == 405


def test_after_writing_one_stays_on_this_server(client: Client, run_id: str) -> None:
    for place in ("//evil.example", "https://evil.example", "/\\evil.example"):
        _, _, headers = client.post(f"/run/{run_id}/marks?back={place}", note="mine")
        assert headers["location"] == f"/run/{run_id}"


@pytest.mark.parametrize(
    "name",
    [
        "../../secret.txt",
        "..%2f..%2fsecret.txt",
        "%2e%2e/%2e%2e/secret.txt",
        "artefacts/../../../../secret.txt",
        "artefacts/link.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "artefacts%00",
        "artefacts",
        "",
        "....//secret.txt",
    ],
)
def test_no_path_leads_out_of_a_run(client: Client, run_id: str, name: str) -> None:
    status, text, _ = client.ask(f"/run/{run_id}/file/{name}")
    assert status == 404
    assert "SECRET" not in text


def test_a_file_is_a_download_and_no_page(client: Client, run_id: str) -> None:
    status, text, headers = client.ask(f"/run/{run_id}/file/artefacts/kept.txt")
    assert (status, text) == (200, "KEPT")
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "place",
    [
        "/run/leads-out",
        "/run/..",
        "/run/%2e%2e",
        "/case/0/..%2fx",
        "/case/9/x",
        "/sweep/0/..",
        "/report/0/..%2f..%2fsecret.txt",
        "/static/..%2fapp.py",
        "/static/app.py",
    ],
)
def test_a_name_that_is_none_is_not_found(client: Client, place: str) -> None:
    status, text, _ = client.ask(place)
    assert status == 404
    assert "SECRET" not in text


def test_what_is_too_large_is_refused(client: Client, home: Path, run_id: str) -> None:
    assert client.post(f"/run/{run_id}/marks", note="x" * 20_000)[0] == 400
    assert client.post(f"/run/{run_id}/marks", note="x" * 200_000)[0] == 413
    assert len(marks(home / "runs" / run_id).note) < 100


def test_two_hundred_at_once_are_all_answered(client: Client) -> None:
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(client.ask("/")[0])) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert answers == [200] * 200


def test_an_address_that_was_asked_for_is_a_name_too() -> None:
    assert door_of("192.168.0.5", 80).knows("192.168.0.5:80")
    assert door_of("::1", 80).knows("[::1]:80")
    assert not door_of("0.0.0.0", 80).knows("0.0.0.0:80")
