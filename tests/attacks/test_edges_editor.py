"""The language server under messages that are too long, too deep, or no messages; and its exit codes."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sleuth import lsp
from sleuth.lsp import LONGEST_MESSAGE, Bounded
from sleuth.source.parsed_file import MAX_BYTES
from tests.attacks.processes import sampled
from tests.attacks.tally import tally

GUILTY = Path("zoo/handmade/loss/double-softmax/broken.py").read_text("utf-8")
PATIENCE = 100


def message(method: str, params: dict[str, Any] | None, number: int | None = None) -> bytes:
    content: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    body = json.dumps(content if number is None else content | {"id": number}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def opened(name: str, text: str) -> bytes:
    document = {"uri": f"file:///{name}", "languageId": "python", "version": 1, "text": text}
    return message("textDocument/didOpen", {"textDocument": document})


def answers(output: bytes) -> list[dict[str, Any]]:
    found = []
    while output:
        head, _, rest = output.partition(b"\r\n\r\n")
        size = int(head.rpartition(b"Content-Length: ")[2].partition(b"\r\n")[0])
        found.append(json.loads(rest[:size]))
        output = rest[size:]
    return found


def talk(*sent: bytes, polite: bool = True) -> tuple[int, dict[str, list[str]], bytes]:
    """Exit code, what was shown for each document, and what was said on standard error."""
    begin = (
        message("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, 1),
        message("initialized", {}),
    )
    end = (message("shutdown", None, 2), message("exit", None)) if polite else ()
    done = subprocess.run(
        [sys.executable, "-m", "sleuth", "lsp"],
        input=b"".join([*begin, *sent, *end]), capture_output=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    shown = {
        told["params"]["uri"]: [entry["message"] for entry in told["params"]["diagnostics"]]
        for told in answers(done.stdout)
        if told.get("method") == "textDocument/publishDiagnostics"
    }
    return done.returncode, shown, done.stderr


BOOK = {
    "uri": "file:///b.ipynb", "notebookType": "jupyter-notebook", "version": 1,
    "cells": [{"kind": 2, "document": "cell:/1"}],
}  # fmt: skip
ODD: dict[str, bytes] = {
    "a document of 20 MB": opened("large.py", "x = 1\n" * 3_400_000),
    "a notebook of 20 MB": message(
        "notebookDocument/didOpen",
        {
            "notebookDocument": BOOK,
            "cellTextDocuments": [
                {"uri": "cell:/1", "languageId": "python", "version": 1, "text": "x = 1\n" * 3_400_000}
            ],
        },
    ),
    "a deep document": opened("deep.py", "(" * 100_000),
    "half a character": opened("half.py", "x = '\ud800'\n"),
    "deep JSON": b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
    "no JSON": b"Content-Length: 3\r\n\r\nabc",
    "an odd length": b"Content-Length: abc\r\n\r\n",
    "a length of 5,000 digits": b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    "an endless header": b"x" * 1_000_000 + b"\r\n",
    "a method nobody knows": message("no/such", {"a": 1}, 7),
    "an odd address": message(
        "textDocument/didOpen",
        {"textDocument": {"uri": "::[", "languageId": "python", "version": 1, "text": GUILTY}},
    ),
    "parameters of another kind": message("textDocument/hover", {"textDocument": 3}, 8),
}


@pytest.mark.parametrize("name", sampled(ODD, 3))
def test_the_server_answers_afterwards(name: str) -> None:
    code, shown, said = talk(ODD[name], opened("train.py", GUILTY))
    told = shown.get("file:///train.py", [])
    failed = code != 0 or not any("double-softmax" in text for text in told) or b"fault of Sleuth" in said
    tally("odd messages to the language server", 1, int(failed))
    assert not failed, (code, shown, said[-2000:])


@pytest.mark.parametrize("name", ["a document of 20 MB", "a notebook of 20 MB"])
def test_too_long_a_document_gets_one_message(name: str) -> None:
    _, shown, _ = talk(ODD[name])
    ((told,),) = [texts for texts in shown.values() if texts]
    assert "bytes long; files so large are generated" in told
    assert MAX_BYTES < 20_000_000


def test_a_length_that_no_message_has_is_not_held_in_memory() -> None:
    code, _, said = talk(b"Content-Length: 99999999999\r\n\r\nabc", polite=False)
    assert code == 0
    assert b"fault of Sleuth" not in said


def test_what_is_too_long_is_passed_over_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LONGEST_MESSAGE > 20_000_000
    monkeypatch.setattr(lsp, "LONGEST_MESSAGE", 10)
    stream = Bounded(io.BytesIO(b"x" * 11 + b"next\n"))
    assert json.loads(stream.read(11))["method"].startswith("$/")
    assert stream.readline() == b"next\n"
    assert Bounded(io.BytesIO(b"short")).read(11) == b""
