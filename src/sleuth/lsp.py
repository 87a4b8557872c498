"""`sleuth lsp`: findings in the editor as you type, a cause's page on hover, repairs as quick fixes."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sleuth import catalog
from sleuth._version import __version__
from sleuth.finding import Edit, Finding, Severity, Where
from sleuth.judge.strength import alone
from sleuth.lint.check import lint_source
from sleuth.lint.reports import Trouble
from sleuth.lint.selection import configured
from sleuth.quick_dataclass import dataclass, replace
from sleuth.show import pages
from sleuth.source.notebook import in_cell, in_cells, read_notebook
from sleuth.source.parsed_file import Source, UnreadableSource, parse_source, refuse_large

LEVELS: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
# Of every kind of notebook: a filter of cells alone is one that clients built on lsprotocol cannot read.
PYTHON_CELLS = types.NotebookDocumentFilterWithNotebook("*", [types.NotebookCellLanguage("python")])

LONGEST_MESSAGE = 64_000_000  # bytes: thirty times what is read of a document
LONGEST_HEADER = 4_096
NOTHING = b'{"jsonrpc": "2.0", "method": "$/passedOver"}'  # what begins with `$/` may be ignored

server = LanguageServer(
    "sleuth",
    __version__,
    notebook_document_sync=types.NotebookDocumentSyncOptions([PYTHON_CELLS]),
)


@dataclass(frozen=True)
class Reading:
    """What the editor holds, read and judged: a file, or a notebook with its cells as documents."""

    documents: tuple[str, ...]
    source: Source | None = None
    findings: tuple[Finding, ...] = ()
    trouble: Trouble | None = None

    def place(self, where: Where) -> tuple[str, types.Range]:
        """The document that a place lies in, and where it lies there."""
        counted = _counted(self.source, where) if self.source else where
        inside = in_cell(self.source, counted) if self.source else counted
        return self.documents[(inside.cell or 1) - 1], _range(inside)

    def holds(self, edits: tuple[Edit, ...]) -> bool:
        """Whether a repair stays within what is open here."""
        return self.source is not None and all(edit.path == self.source.path for edit in edits)

    def found(self, document: str, area: types.Range) -> Iterator[tuple[Finding, types.Range]]:
        """The findings whose lines meet those of an area."""
        for finding in self.findings:
            held_by, lines = self.place(finding.where or Where())
            if held_by == document and _meets(lines, area):
                yield finding, lines


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(ls: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    _publish(ls, _read_file(ls, params.text_document.uri))


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    _publish(ls, _read_file(ls, params.text_document.uri))


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def saved(ls: LanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    _publish(ls, _read_file(ls, params.text_document.uri))


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def closed(ls: LanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    _publish(ls, Reading((params.text_document.uri,)))


@server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
def book_opened(ls: LanguageServer, params: types.DidOpenNotebookDocumentParams) -> None:
    _publish(ls, _read_book(ls, params.notebook_document))


@server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
def book_changed(ls: LanguageServer, params: types.DidChangeNotebookDocumentParams) -> None:
    cells = params.change.cells
    gone = cells.structure.did_close if cells and cells.structure else None
    _publish(ls, Reading(tuple(document.uri for document in gone or ())))
    if book := ls.workspace.get_notebook_document(notebook_uri=params.notebook_document.uri):
        _publish(ls, _read_book(ls, book))


@server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
def book_closed(ls: LanguageServer, params: types.DidCloseNotebookDocumentParams) -> None:
    _publish(ls, Reading(tuple(document.uri for document in params.cell_text_documents)))


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hovered(ls: LanguageServer, params: types.HoverParams) -> types.Hover | None:
    """The page of the cause that is found under the cursor."""
    uri = params.text_document.uri
    here = types.Range(params.position, params.position)
    for finding, lines in _read(ls, uri).found(uri, here):
        text = pages.markdown(catalog.find(finding.cause))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), lines)
    return None


@server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
def actions(ls: LanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The repairs that findings in the selection carry."""
    uri = params.text_document.uri
    reading = _read(ls, uri)
    return [
        types.CodeAction(
            title=f"Sleuth: {finding.fix}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[_diagnostic(finding, lines)],
            edit=types.WorkspaceEdit(changes=_changes(reading, finding.edits)),
        )
        for finding, lines in reading.found(uri, params.range)
        if finding.edits and reading.holds(finding.edits)
    ]


def _changes(reading: Reading, edits: tuple[Edit, ...]) -> dict[str, list[types.TextEdit]]:
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        where = Where(edit.path, edit.line, edit.column, edit.end_line, edit.end_column)
        document, area = reading.place(where)
        changes.setdefault(document, []).append(types.TextEdit(area, edit.text))
    return changes


def _publish(ls: LanguageServer, reading: Reading) -> None:
    """Tell every document what to show; nothing is told as well, or old findings would stay."""
    shown: dict[str, list[types.Diagnostic]] = {document: [] for document in reading.documents}
    if reading.trouble and reading.documents:
        document, lines = reading.place(Where(reading.trouble.path, reading.trouble.line))
        shown[document].append(_unreadable(reading.trouble, lines))
    for finding in reading.findings:
        document, lines = reading.place(finding.where or Where())
        shown[document].append(_diagnostic(finding, lines))
    for document, diagnostics in shown.items():
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document, diagnostics))


def _read(ls: LanguageServer, uri: str) -> Reading:
    book = ls.workspace.get_notebook_document(cell_uri=uri)
    return _read_book(ls, book) if book else _read_file(ls, uri)


def _read_file(ls: LanguageServer, uri: str) -> Reading:
    """What the editor holds, saved or not; a file in the middle of an edit is read as far as it goes."""
    path = _path(uri)
    try:
        text = ls.workspace.get_text_document(uri).source
        refuse_large(str(path), len(text.encode("utf-8", "surrogatepass")))
        source = parse_source(str(path), text, repair=True)
    except UnreadableSource as error:
        return Reading((uri,), trouble=Trouble(error.path, error.line, error.reason))
    return _judged((uri,), path, source)


def _read_book(ls: LanguageServer, book: types.NotebookDocument) -> Reading:
    """The cells as they stand in the editor, as one program."""
    path = _path(book.uri)
    code = [cell.document for cell in book.cells if cell.kind is types.NotebookCellKind.Code]
    texts = {uri: ls.workspace.get_text_document(uri) for uri in code}
    python = tuple(uri for uri, document in texts.items() if document.language_id == "python")
    cells = [{"cell_type": "code", "source": texts[uri].source} for uri in python]
    try:
        source = read_notebook(str(path), json.dumps({"cells": cells}))
    except UnreadableSource as error:
        return Reading(python[:1], trouble=Trouble(error.path, None, error.reason))
    return _judged(python, path, source)


def _judged(documents: tuple[str, ...], path: Path, source: Source) -> Reading:
    found = map(alone, lint_source(source, configured(path)))
    here = tuple(
        _told(source, finding, finding.where)
        for finding in found
        if finding.where and finding.where.path == source.path
    )
    line, reason = source.repaired or (None, "")
    trouble = Trouble(source.path, line, f"{reason}.", partly=True) if source.repaired else None
    return Reading(documents, source, here, trouble)


def _told(source: Source, finding: Finding, where: Where) -> Finding:
    """With the lines it mentions counted as the reader counts them: within the cells of a notebook."""
    if not source.cells:
        return finding
    cell = in_cell(source, where).cell
    message, fix = (in_cells(source, text, cell) for text in (finding.message, finding.fix))
    return replace(finding, message=message, fix=fix)


def _path(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))


def _diagnostic(finding: Finding, lines: types.Range) -> types.Diagnostic:
    message = " ".join(part for part in (finding.message, finding.fix) if part)
    return types.Diagnostic(
        range=lines,
        message=f"{message}\nmore: sleuth explain {finding.cause}",
        severity=LEVELS[finding.severity],
        code=finding.cause,
        source="sleuth",
    )


def _unreadable(trouble: Trouble, lines: types.Range) -> types.Diagnostic:
    return types.Diagnostic(
        range=lines,
        message=f"Cannot read this: {trouble.sentence}",
        severity=LEVELS[trouble.severity],
        code="unreadable",
        source="sleuth",
    )


def _counted(source: Source, where: Where) -> Where:
    """Columns in the units that the editor counts in: for most, an emoji is two."""
    units = server.workspace.position_codec.client_num_units

    def column(line: int | None, characters: int | None) -> int | None:
        if line is None or characters is None or source.line(line).isascii():
            return characters
        return int(units(source.line(line)[: characters - 1])) + 1

    return replace(
        where,
        column=column(where.line, where.column),
        end_column=column(where.end_line, where.end_column),
    )


def _range(where: Where) -> types.Range:
    first = max((where.line or 1) - 1, 0)
    last = max((where.end_line or where.line or 1) - 1, 0)
    return types.Range(
        types.Position(first, max((where.column or 1) - 1, 0)),
        types.Position(last, max((where.end_column or (where.column or 1) + 1) - 1, 0)),
    )


def _meets(one: types.Range, other: types.Range) -> bool:
    return one.start.line <= other.end.line and other.start.line <= one.end.line


@dataclass(frozen=True)
class Bounded:
    """The editor's messages; one that claims to be longer than any is passed over, not held in memory."""

    stream: BinaryIO

    def readline(self) -> bytes:
        return self.stream.readline(LONGEST_HEADER)

    def read(self, size: int) -> bytes:
        if size <= LONGEST_MESSAGE:
            return self.stream.read(size)
        while size > 0 and (part := self.stream.read(min(size, LONGEST_HEADER))):
            size -= len(part)
        return NOTHING if size == 0 else b""


def serve() -> None:
    """Speak the protocol on standard input and output until the editor leaves."""
    server.start_io(cast(BinaryIO, Bounded(sys.stdin.buffer)))
