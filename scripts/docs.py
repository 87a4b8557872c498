#!/usr/bin/env python
"""Writes what is generated of docs/ and README.md: cause pages, overview, commands, glossary, schemas,
picture, tables of measurements. --check compares."""

import argparse
import contextlib
import io
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import schemas

from sleuth import catalog
from sleuth.cli import group
from sleuth.files import write_whole
from sleuth.lint import lint
from sleuth.show import lint_text, pages

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
GLOSSARY = ROOT / "tests" / "contract" / "glossary.toml"
CHOICES_WRAP = 100  # columns of the help texts, whatever terminal the script runs in


def cause_pages() -> Iterator[tuple[Path, str]]:
    for cause in catalog.causes().values():
        yield DOCS / "causes" / cause.family / f"{cause.slug}.md", pages.markdown(cause)


def cause_index() -> tuple[Path, str]:
    lines = [
        "# Causes",
        "",
        "Generated from the modules in `src/sleuth/causes`; ● detected, ○ described.",
    ]
    for family in catalog.families().values():
        head = ["cause", *catalog.WAYS, "what went wrong"]
        lines += ["", f"## {family.title}", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        for cause in catalog.causes().values():
            if cause.family == family.name:
                marks = " | ".join(_mark(cause, word) for word in catalog.WAYS)
                link = f"[{cause.slug}]({family.name}/{cause.slug}.md)"
                lines.append(f"| {link} | {marks} | {cause.page.summary} |")
    return DOCS / "causes" / "README.md", "\n".join(lines)


def command_reference() -> tuple[Path, str]:
    parts = ["# Commands", "Generated from `sleuth --help` and the help of each verb."]
    for name, text in _help_texts():
        parts.append(f"## {name}\n\n```text\n{text}\n```")
    return DOCS / "commands.md", "\n\n".join(parts)


def _help_texts() -> Iterator[tuple[str, str]]:
    def walk(command: click.Command, path: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
        context = click.Context(
            command,
            info_name=path.split()[-1],
            parent=parent,
            max_content_width=CHOICES_WRAP,
            terminal_width=CHOICES_WRAP,
        )
        yield path, click.unstyle(command.get_help(context))
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None
                yield from walk(child, f"{path} {name}", context)

    yield from walk(group.sleuth, "sleuth", None)


def glossary() -> tuple[Path, str]:
    """The words that the test of all messages holds them to."""
    lines = [
        "# Glossary",
        "",
        "What the words in messages and pages mean, and words that are not used for the same thing.",
        "Generated from `tests/contract/glossary.toml`, to which a test holds every message.",
        "",
        "| word | means | not |",
        "|---|---|---|",
    ]
    for term in sorted(tomllib.loads(GLOSSARY.read_text("utf-8"))["term"], key=lambda term: term["word"]):
        lines.append(f"| **{term['word']}** | {term['means']} | {', '.join(term.get('avoid', ()))} |")
    return DOCS / "glossary.md", "\n".join(lines)


def schema_files() -> Iterator[tuple[Path, str]]:
    folder = DOCS / "schemas"
    yield folder / "README.md", schemas.index()
    for name in schemas.DOCUMENTS:
        yield folder / schemas.file_name(name), json.dumps(schemas.document(name), indent=2)


def picture() -> tuple[Path, str]:
    """A real verdict, as a terminal shows it."""
    from rich.console import Console
    from rich.text import Text

    with io.StringIO() as nowhere, contextlib.chdir(ROOT):
        console = Console(record=True, width=104, force_terminal=True, file=nowhere)
        result = lint([Path("zoo/handmade/loss/double-softmax/broken.py")])
        console.print(Text("$ sleuth lint zoo/handmade/loss/double-softmax/broken.py", style="dim"))
        console.print(Text.from_ansi(lint_text.full(result, colour=True)))
        drawn = console.export_svg(title="sleuth", unique_id="sleuth")
    # The page must not fetch a font from elsewhere: any monospaced one will do.
    return DOCS / "verdict.svg", re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)


def measured() -> Iterator[tuple[Path, str]]:
    """Pages whose marked parts are written from the zoo and its kept evidence; the rest is theirs."""
    sys.path.insert(0, str(ROOT))
    from bench import tables

    parts = tables.written()
    for path in (ROOT / "README.md", DOCS / "measurements.md"):
        yield path, tables.spliced(path.read_text("utf-8"), parts)


def _mark(cause: catalog.Cause, word: str) -> str:
    return "●" if word in pages.built(cause) else "○" if word in cause.described else ""


def wanted() -> dict[Path, str]:
    made = [
        *cause_pages(),
        cause_index(),
        command_reference(),
        glossary(),
        *schema_files(),
        picture(),
        *measured(),
    ]
    files = dict(made)
    return {
        path: re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip() + "\n" for path, text in files.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a file is not up to date")
    check = parser.parse_args().check
    files = wanted()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    written = {*(DOCS / "causes").rglob("*.md"), *(DOCS / "schemas").glob("*")}
    left_over = sorted(written - set(files))
    for path in [*stale, *left_over]:
        print(f"{'out of date' if check else 'updating'}: {path.relative_to(ROOT)}")
    if check:
        print("docs: run `make docs`" if stale or left_over else f"docs: {len(files)} files up to date")
        return int(bool(stale or left_over))
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, files[path])
    for path in left_over:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
