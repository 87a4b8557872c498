"""Lint findings in the formats other tools read: SARIF, GitHub annotations, JUnit, JSON."""

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from sleuth import catalog
from sleuth._version import __version__
from sleuth.finding import Finding, Severity
from sleuth.lint import LintResult
from sleuth.show.lint_text import as_json

SARIF_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note"}
GITHUB_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(result: LintResult, form: str) -> str:
    """The result in one of the formats."""
    match form:
        case "json":
            return json.dumps(as_json(result), indent=2, ensure_ascii=False)
        case "sarif":
            return json.dumps(sarif(result), indent=2, ensure_ascii=False)
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
    where = finding.where
    region = {
        key: value
        for key, value in {
            "startLine": where and where.line,
            "startColumn": where and where.column,
            "endLine": where and where.end_line,
            "endColumn": where and where.end_column,
        }.items()
        if value
    }
    location = {
        "artifactLocation": {"uri": (where and where.path) or "", "uriBaseId": "%SRCROOT%"},
        "region": region,
    }
    return {
        "ruleId": finding.cause,
        "ruleIndex": index,
        "level": SARIF_LEVELS[finding.severity],
        "message": {"text": " ".join(part for part in (finding.message, finding.fix) if part)},
        "locations": [{"physicalLocation": location}],
        "properties": {"credence": finding.credence},
    }


def github(result: LintResult) -> Iterator[str]:
    """Workflow commands: GitHub shows each beside its line."""
    for finding in result.findings:
        where = finding.where
        places = {
            "file": where and where.path,
            "line": where and where.line,
            "endLine": where and where.end_line,
            "col": where and where.column,
            "title": f"sleuth {finding.cause}",
        }
        options = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in places.items() if value)
        text = _escaped(" ".join(part for part in (finding.message, finding.fix) if part))
        yield f"::{GITHUB_LEVELS[finding.severity]} {options}::{text}"


def _escaped(text: str, more: str = "") -> str:
    for sign in "%\r\n" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def junit(result: LintResult) -> str:
    """One suite; a finding is a failed case, a file that cannot be read an error."""
    failures, errors = len(result.findings), len(result.unreadable)
    total = max(failures + errors, 1)
    counts = {"name": "sleuth lint", "tests": str(total), "failures": str(failures), "errors": str(errors)}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", counts)
    for finding in result.findings:
        case = ElementTree.SubElement(suite, "testcase", classname=finding.cause, name=str(finding.where))
        failure = ElementTree.SubElement(case, "failure", type=finding.severity, message=finding.message)
        failure.text = f"{finding.where}: {finding.message} {finding.fix}".strip()
    for trouble in result.unreadable:
        case = ElementTree.SubElement(suite, "testcase", classname="unreadable", name=trouble.path)
        ElementTree.SubElement(case, "error", message=str(trouble))
    if not len(suite):
        ElementTree.SubElement(suite, "testcase", classname="sleuth", name=f"{result.files} files")
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)
