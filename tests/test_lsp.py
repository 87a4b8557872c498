"""The language server, spoken to by a real client over real pipes."""

import asyncio
import sys
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

BROKEN = Path("zoo/loss/double-softmax/broken.py")
GUILTY = 44  # the protocol counts lines from zero
PATIENCE = 60


def conversation(path: Path, text: str) -> tuple[list[types.Diagnostic], list[types.Diagnostic], str]:
    """Open a file, hover over its finding, then mend the text: what an editor would show at each point."""

    async def talk() -> tuple[list[types.Diagnostic], list[types.Diagnostic], str]:
        client = LanguageClient("test", "0")
        published: asyncio.Queue[list[types.Diagnostic]] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def receive(params: types.PublishDiagnosticsParams) -> None:
            published.put_nowait(list(params.diagnostics))

        await client.start_io(sys.executable, "-m", "sleuth", "lsp")
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        client.initialized(types.InitializedParams())
        uri = path.resolve().as_uri()
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
        )
        first = await asyncio.wait_for(published.get(), PATIENCE)
        hover = await client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(GUILTY, 15))
        )
        mended = text.replace("            nn.Softmax(dim=1),\n", "")
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=uri, version=2),
                [types.TextDocumentContentChangeWholeDocument(mended)],
            )
        )
        second = await asyncio.wait_for(published.get(), PATIENCE)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]
        page = hover.contents.value if hover and isinstance(hover.contents, types.MarkupContent) else ""
        return first, second, page

    return asyncio.run(talk())


def test_an_editor_sees_findings_pages_and_the_mended_file() -> None:
    text = BROKEN.read_text("utf-8")
    first, second, page = conversation(BROKEN, text)
    (diagnostic,) = first
    assert diagnostic.code == "double-softmax"
    assert diagnostic.range.start.line == GUILTY
    assert diagnostic.severity is types.DiagnosticSeverity.Error
    assert page.startswith("# double-softmax")
    assert "## How to fix" in page
    assert second == []
