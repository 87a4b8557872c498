"""`sleuth lsp`: findings in the editor as you type, a cause's page on hover, repairs as quick fixes."""

from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sleuth import catalog
from sleuth._version import __version__
from sleuth.facts.source import UnreadableSource, parse_source
from sleuth.finding import Edit, Finding, Severity, Where
from sleuth.lint.check import lint_source
from sleuth.lint.selection import Selection, configured
from sleuth.show import pages

LEVELS: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}

server = LanguageServer("sleuth", __version__)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(ls: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    _publish(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    _publish(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def saved(ls: LanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    _publish(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def closed(ls: LanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    empty = types.PublishDiagnosticsParams(params.text_document.uri, [])
    ls.text_document_publish_diagnostics(empty)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hovered(ls: LanguageServer, params: types.HoverParams) -> types.Hover | None:
    """The page of the cause that is found under the cursor."""
    for finding in _findings(ls, params.text_document.uri):
        if finding.where and _holds(_range(finding.where), params.position):
            text = pages.markdown(catalog.find(finding.cause))
            content = types.MarkupContent(types.MarkupKind.Markdown, text)
            return types.Hover(content, _range(finding.where))
    return None


@server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
def actions(ls: LanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The repairs that findings in the selection carry."""
    uri = params.text_document.uri
    found = [
        finding
        for finding in _findings(ls, uri)
        if finding.edits and finding.where and _meets(_range(finding.where), params.range)
    ]
    return [
        types.CodeAction(
            title=f"Sleuth: {finding.fix}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[_diagnostic(finding)],
            edit=types.WorkspaceEdit(changes={uri: [_text_edit(edit) for edit in finding.edits]}),
        )
        for finding in found
    ]


def _publish(ls: LanguageServer, uri: str) -> None:
    diagnostics = [_diagnostic(finding) for finding in _findings(ls, uri)]
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))


def _findings(ls: LanguageServer, uri: str) -> list[Finding]:
    """Lint what the editor holds, saved or not; a file in the middle of an edit is read as far as it goes."""
    path = _path(uri)
    text = ls.workspace.get_text_document(uri).source
    try:
        source = parse_source(str(path), text, repair=True)
    except UnreadableSource:
        return []
    found = lint_source(source, _selection(path))
    return [finding for finding in found if finding.where and finding.where.path == source.path]


def _selection(path: Path) -> Selection:
    return configured(path)


def _path(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))


def _diagnostic(finding: Finding) -> types.Diagnostic:
    return types.Diagnostic(
        range=_range(finding.where or Where()),
        message=" ".join(part for part in (finding.message, finding.fix) if part),
        severity=LEVELS[finding.severity],
        code=finding.cause,
        source="sleuth",
    )


def _range(where: Where) -> types.Range:
    first = max((where.line or 1) - 1, 0)
    last = max((where.end_line or where.line or 1) - 1, 0)
    return types.Range(
        types.Position(first, max((where.column or 1) - 1, 0)),
        types.Position(last, max((where.end_column or (where.column or 1) + 1) - 1, 0)),
    )


def _text_edit(edit: Edit) -> types.TextEdit:
    place = Where(edit.path, edit.line, edit.column, edit.end_line, edit.end_column)
    return types.TextEdit(_range(place), edit.text)


def _holds(area: types.Range, position: types.Position) -> bool:
    return area.start.line <= position.line <= area.end.line


def _meets(one: types.Range, other: types.Range) -> bool:
    return one.start.line <= other.end.line and other.start.line <= one.end.line


def serve() -> None:
    """Speak the protocol on standard input and output until the editor leaves."""
    server.start_io()
