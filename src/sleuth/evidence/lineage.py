"""Who is behind a statement: the declared source, else the author in its link, else its evidence file."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from sleuth.evidence.model import Argument, Map, Statement

# What ends the author part of a link's label: "Schulman 2016 Slides", "Andy Jones - RL Debugging".
_AUTHOR_ENDS = re.compile(r"\s+et al\b|\s*[,:;(&]|\s+[-–—]\s|\s+and\s|\s+\(?(?:1[6-9]|20)\d\d\b")
_SEASONS = re.compile(r"\s+(?:spring|summer|autumn|fall|winter)$", re.IGNORECASE)


def lineage(statement: Statement) -> str:
    """One word or name a source; statements that share it are not independent of each other."""
    declared = statement.data.get("source")
    if isinstance(declared, str) and declared.strip():
        return declared.strip()
    for link in statement.links:
        if link.remote and (name := author(link.label)):
            return name
    for link in statement.links:
        if not link.remote:
            return PurePosixPath(link.file).stem
    return f"[{statement.title}]"


def author(label: str) -> str:
    """The surname (or body) at the head of a label, so that "Andy Jones - X" and "Jones 2021, Y" agree."""
    cut = _AUTHOR_ENDS.search(label)
    if cut is None:
        return label.split()[0] if label.split() else ""
    name = _SEASONS.sub("", label[: cut.start()].strip())
    words = name.split()
    if not words or words[-1].islower():
        return name  # "scikit-learn developers" is no surname
    return words[-1]


def lineages(argument: Argument, statements: Mapping[str, Statement]) -> tuple[str, ...]:
    """The sources an argument's premises come from, each once."""
    return tuple(dict.fromkeys(lineage(statements[title]) for title in argument.premises))


def all_lineages(found: Map) -> tuple[str, ...]:
    """Every source that the map's premises name; statements without any source count for none."""
    premises = (found.statements[title] for entry in found.arguments.values() for title in entry.premises)
    return tuple(dict.fromkeys(name for name in map(lineage, premises) if not name.startswith("[")))
