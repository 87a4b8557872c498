"""Lint findings in the formats other tools read: SARIF, GitHub annotations, JUnit, JSON."""

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from sleuth import catalog
from sleuth._version import __version__
from sleuth.finding import Finding, Severity, Where
from sleuth.lint import LintResult
from sleuth.lint.reports import Trouble
from sleuth.show.lint_text import as_json
from sleuth.terminal import visible

SARIF_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note"}
GITHUB_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(result: LintResult, form: str) -> str:
    """The result in one of the formats."""
    match form:
        case "json":
            return visible(json.dumps(as_json(result), indent=2, ensure_ascii=False))
        case "sarif":
            return visible(json.dumps(sarif(result), indent=2, ensure_ascii=False))
        case "github":
            return "\n".join(github(result))
        case "junit":
            return junit(result)
    raise ValueError(f"no such format: {form}")


def sarif(result: LintResult) -> dict[str, Any]:
    """SARIF 2.1.0, as code-scanning services take it."""
    slugs = sorted({finding.cause for finding in result.findings})
    rules = [_sarif_rule(slug) for slug in slugs]
    run = {
        "tool": {"driver": {"name": "sleuth", "version": __version__, "rules": rules}},
        "results": [_sarif_result(finding, slugs.index(finding.cause)) for finding in result.findings],
        "invocations": [_sarif_invocation(result)],
        "columnKind": "unicodeCodePoints",
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def _sarif_rule(slug: str) -> dict[str, Any]:
    cause = catalog.find(slug)
    return {
        "id": slug,
        "name": slug,
        "shortDescription": {"text": cause.page.summary},
        "help": {"text": f"sleuth explain {slug}"},
        "properties": {"family": cause.family},
    }


def _sarif_result(finding: Finding, index: int) -> dict[str, Any]:
    return {
        "ruleId": finding.cause,
        "ruleIndex": index,
        "level": SARIF_LEVELS[finding.severity],
        "message": {"text": _said(finding)},
        "locations": [_sarif_location(finding.where or Where())],
        "properties": {"credence": finding.credence},
    }


def _sarif_location(where: Where) -> dict[str, Any]:
    """A file and a region of it. In a notebook lines count within the cell, which has no place in a file."""
    region = {
        "startLine": where.line,
        "startColumn": where.column,
        "endLine": where.end_line,
        "endColumn": where.end_column,
    }
    known = {key: value for key, value in region.items() if value}
    artifact = {"uri": where.path or "", "uriBaseId": "%SRCROOT%"}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, **({"region": known} if known else {})}
    }
    if where.cell is not None:
        location["logicalLocations"] = [{"name": f"cell {where.cell}", "kind": "cell"}]
    return location


def _sarif_invocation(result: LintResult) -> dict[str, Any]:
    """The files that could not be read, or only in part: they have no findings that could tell of them."""
    return {
        "executionSuccessful": not result.unreadable,
        "toolExecutionNotifications": [_sarif_notification(trouble) for trouble in result.troubles],
    }


def _sarif_notification(trouble: Trouble) -> dict[str, Any]:
    return {
        "level": SARIF_LEVELS[trouble.severity],
        "message": {"text": str(trouble)},
        "locations": [_sarif_location(Where(trouble.path, trouble.line))],
    }


def _said(finding: Finding) -> str:
    """Message and repair; in a notebook with the cell, for which these formats have no place of its own."""
    where = finding.where
    cell = f"Cell {where.cell}, line {where.line}:" if where and where.cell is not None else ""
    return " ".join(part for part in (cell, finding.message, finding.fix) if part)


def github(result: LintResult) -> Iterator[str]:
    """Workflow commands: GitHub shows each beside its line."""
    for finding in result.findings:
        text = f"{_said(finding)} More: sleuth explain {finding.cause}"
        yield _annotation(finding.severity, finding.where or Where(), finding.cause, text)
    for trouble in result.troubles:
        yield _annotation(trouble.severity, Where(trouble.path, trouble.line), "unreadable", str(trouble))


def _annotation(severity: Severity, where: Where, about: str, text: str) -> str:
    places = {
        "file": where.path,
        "line": where.line,
        "endLine": where.end_line,
        "col": where.column,
        "title": f"sleuth {about}",
    }
    options = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in places.items() if value)
    return f"::{GITHUB_LEVELS[severity]} {options}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    for sign in "%\r\n" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def junit(result: LintResult) -> str:
    """One suite; a finding is a failed case, a file that cannot be read, or only in part, an error."""
    failures, errors = len(result.findings), len(result.troubles)
    total = max(failures + errors, 1)
    counts = {"name": "sleuth lint", "tests": str(total), "failures": str(failures), "errors": str(errors)}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", counts)
    for finding in result.findings:
        case = ElementTree.SubElement(suite, "testcase", classname=finding.cause, name=str(finding.where))
        failure = ElementTree.SubElement(case, "failure", type=finding.severity, message=finding.message)
        said = f"{finding.where}: {finding.message} {finding.fix}".strip()
        failure.text = f"{said}\nmore: sleuth explain {finding.cause}"
    for trouble in result.troubles:
        place = str(Where(trouble.path, trouble.line))
        case = ElementTree.SubElement(suite, "testcase", classname="unreadable", name=place)
        ElementTree.SubElement(case, "error", message=str(trouble))
    if not len(suite):
        ElementTree.SubElement(suite, "testcase", classname="sleuth", name=f"{result.files} files")
    ElementTree.indent(suites)
    # No XML may hold control characters, not even escaped.
    return visible(ElementTree.tostring(suites, encoding="unicode", xml_declaration=True))
