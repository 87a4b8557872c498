"""The language server, spoken to by a real client over real pipes."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

BROKEN = Path("zoo/handmade/loss/double-softmax/broken.py")
GUILTY = 44  # the protocol counts lines from zero
PATIENCE = 60
Shown = dict[str, list[types.Diagnostic]]


class Editor:
    """A client that remembers what it was told to show."""

    def __init__(self) -> None:
        self.client = LanguageClient("test", "0")
        self.shown: Shown = {}
        self._news: asyncio.Queue[str] = asyncio.Queue()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def receive(params: types.PublishDiagnosticsParams) -> None:
            self.shown[params.uri] = list(params.diagnostics)
            self._news.put_nowait(params.uri)

    async def told(self, documents: int = 1) -> Shown:
        """What is shown once news of so many documents have come."""
        for _ in range(documents):
            await asyncio.wait_for(self._news.get(), PATIENCE)
        return dict(self.shown)

    def open(self, uri: str, text: str) -> None:
        document = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def rewrite(self, uri: str, text: str) -> None:
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=2)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def page_under(self, uri: str, line: int) -> str:
        place = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, 15))
        hover = await self.client.text_document_hover_async(place)
        return hover.contents.value if hover and isinstance(hover.contents, types.MarkupContent) else ""

    async def repairs_at(self, uri: str, line: int) -> list[types.CodeAction]:
        area = types.Range(types.Position(line, 0), types.Position(line, 0))
        document = types.TextDocumentIdentifier(uri)
        params = types.CodeActionParams(document, area, types.CodeActionContext([]))
        answer = await self.client.text_document_code_action_async(params)
        return [action for action in answer or () if isinstance(action, types.CodeAction)]


@asynccontextmanager
async def editor() -> AsyncIterator[Editor]:
    """An editor with notebooks, and a server of its own."""
    ours = Editor()
    await ours.client.start_io(sys.executable, "-m", "sleuth", "lsp")
    books = types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities())
    able = types.ClientCapabilities(notebook_document=books)
    await ours.client.initialize_async(types.InitializeParams(capabilities=able))
    ours.client.initialized(types.InitializedParams())
    try:
        yield ours
    finally:
        await ours.client.shutdown_async(None)
        ours.client.exit(None)
        await ours.client.stop()  # type: ignore[no-untyped-call]


def talk(conversation: Callable[[Editor], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with editor() as ours:
            await conversation(ours)

    asyncio.run(asyncio.wait_for(whole(), PATIENCE))


def test_an_editor_sees_findings_pages_and_the_mended_file() -> None:
    async def conversation(ours: Editor) -> None:
        uri, text = BROKEN.resolve().as_uri(), BROKEN.read_text("utf-8")
        ours.open(uri, text)
        (diagnostic,) = (await ours.told())[uri]
        assert diagnostic.code == "double-softmax"
        assert diagnostic.range.start.line == GUILTY
        assert diagnostic.severity is types.DiagnosticSeverity.Error
        assert diagnostic.message.endswith("\nmore: sleuth explain double-softmax")
        page = await ours.page_under(uri, GUILTY)
        assert page.startswith("# double-softmax")
        assert "## How to fix" in page
        ours.rewrite(uri, text.replace("            nn.Softmax(dim=1),\n", ""))
        assert (await ours.told())[uri] == []

    talk(conversation)


WIDE = """import torch.nn as nn
name = "\U0001f415"; net = nn.Sequential(nn.Linear(3, 3), nn.Softmax(1))
loss = nn.CrossEntropyLoss()(net(x), y)
"""


def test_columns_are_counted_as_the_editor_counts_them(tmp_path: Path) -> None:
    async def conversation(ours: Editor) -> None:
        uri = (tmp_path / "wide.py").as_uri()
        ours.open(uri, WIDE)
        (found,) = (await ours.told())[uri]
        before = WIDE.splitlines()[1].partition("nn.Softmax")[0]
        assert found.range.start.character == len(before.encode("utf-16-le")) // 2
        assert found.range.start.character == len(before) + 1

    talk(conversation)


def test_a_syntax_error_is_shown_beside_what_was_found_in_the_rest(tmp_path: Path) -> None:
    async def conversation(ours: Editor) -> None:
        uri, text = (tmp_path / "train.py").as_uri(), BROKEN.read_text("utf-8")
        ours.open(uri, f"{text}\nx = (\n")
        trouble, finding = (await ours.told())[uri]
        assert finding.code == "double-softmax"
        assert (trouble.code, trouble.source) == ("unreadable", "sleuth")
        assert trouble.severity is types.DiagnosticSeverity.Warning
        assert trouble.range.start.line == len(text.splitlines()) + 1
        assert "'(' was never closed." in trouble.message
        ours.rewrite(uri, "def (:\n")
        (trouble,) = (await ours.told())[uri]
        assert trouble.severity is types.DiagnosticSeverity.Error
        assert trouble.range.start.line == 0
        assert "invalid syntax" in trouble.message

    talk(conversation)


SETUP = "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))\n"
LOOP = """\
%matplotlib inline
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step
"""


def test_findings_in_a_notebook_are_shown_in_their_cells(tmp_path: Path) -> None:
    book = (tmp_path / "train.ipynb").as_uri()
    prose, first, second = (f"vscode-notebook-cell://{tmp_path}/train.ipynb#{name}" for name in "abc")
    cells = [
        types.NotebookCell(types.NotebookCellKind.Markup, prose),
        types.NotebookCell(types.NotebookCellKind.Code, first),
        types.NotebookCell(types.NotebookCellKind.Code, second),
    ]
    texts = [
        types.TextDocumentItem(prose, "markdown", 1, "# Training"),
        types.TextDocumentItem(first, "python", 1, SETUP),
        types.TextDocumentItem(second, "python", 1, LOOP),
    ]
    document = types.NotebookDocument(book, "jupyter-notebook", 1, cells)

    async def conversation(ours: Editor) -> None:
        client = ours.client
        client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, texts))
        shown = await ours.told(2)
        assert set(shown) == {first, second}
        assert [(item.code, item.range.start.line) for item in shown[first]] == [("double-softmax", 2)]
        assert [(item.code, item.range.start.line) for item in shown[second]] == [("missing-step", 5)]
        assert "on line 5 of cell 2" in shown[first][0].message
        assert (await ours.page_under(first, 2)).startswith("# double-softmax")
        assert await ours.page_under(second, 2) == ""
        (repair,) = await ours.repairs_at(second, 5)
        assert repair.edit is not None
        assert repair.edit.changes is not None
        ((place, (edit,)),) = repair.edit.changes.items()
        assert (place, edit.range.start.line) == (second, 5)

        mended = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(uri=first, version=2),
            [types.TextDocumentContentChangeWholeDocument(SETUP.replace(", nn.Softmax(dim=1)", ""))],
        )
        client.notebook_document_did_change(changed(types.NotebookDocumentCellChanges(text_content=[mended])))
        shown = await ours.told(2)
        assert shown[first] == []
        assert [item.code for item in shown[second]] == ["missing-step"]

        torn = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(uri=second, version=2),
            [types.TextDocumentContentChangeWholeDocument(f"{LOOP}x = (\n")],
        )
        client.notebook_document_did_change(changed(types.NotebookDocumentCellChanges(text_content=[torn])))
        trouble = (await ours.told(2))[second][0]
        assert (trouble.code, trouble.range.start.line) == ("unreadable", 6)

        without = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(start=2, delete_count=1, cells=[]),
            did_close=[types.TextDocumentIdentifier(second)],
        )
        client.notebook_document_did_change(changed(types.NotebookDocumentCellChanges(structure=without)))
        assert (await ours.told(2))[second] == []

        left = [types.TextDocumentIdentifier(prose), types.TextDocumentIdentifier(first)]
        closed = types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(book), left)
        client.notebook_document_did_close(closed)
        assert (await ours.told(2))[first] == []

    def changed(cells: types.NotebookDocumentCellChanges) -> types.DidChangeNotebookDocumentParams:
        version = types.VersionedNotebookDocumentIdentifier(version=2, uri=book)
        return types.DidChangeNotebookDocumentParams(version, types.NotebookDocumentChangeEvent(cells=cells))

    talk(conversation)


def test_the_server_leaves_quietly() -> None:
    def message(**content: Any) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **content}).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    begin: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
    words = (
        message(id=1, method="initialize", params=begin)
        + message(id=2, method="shutdown")
        + message(method="exit")
    )
    command = [sys.executable, "-m", "sleuth", "lsp"]
    done = subprocess.run(command, input=words, capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
