"""What a cause may look at to find its line: the record of the run, where there is one, and the sources."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sleuth.finding import Finding, Where
from sleuth.places.origins import where_input_made, where_target_made
from sleuth.places.serving import where_served
from sleuth.places.statements import Rank, best_statement, hands_on
from sleuth.record.entries import Record
from sleuth.record.questions import batches, loss_calls


@dataclass(frozen=True)
class Scene:
    """The run and the files of the user's that took part in it."""

    record: Record | None
    sources: tuple[Path, ...] = ()


Place = Callable[[Finding, Scene], Where | None]  # `place` of a cause: a better line, or None


def from_here(where: Where) -> Where:
    """With its path as one would type it: relative where it lies below the working folder."""
    if where.path is None:
        return where
    relative = os.path.relpath(where.path)
    return where if relative.startswith("..") else replace(where, path=relative)


def has_place(finding: Finding) -> bool:
    return finding.where is not None and bool(finding.where.line or finding.where.module)


def module_of(finding: Finding) -> str | None:
    return finding.where.module if finding.where is not None else None


def of_inputs(finding: Finding, scene: Scene) -> Where | None:
    """The line that made what the model is fed, where numbers alone gave a fault of the inputs away."""
    if scene.record is None:
        return None
    fed = [batch.line for batch in batches(scene.record) if batch.line]
    if finding.where is None or not finding.where.line:
        return where_input_made(scene.record, fed[0] if fed else 0)
    if finding.where.line in fed:
        return where_served(list(scene.sources))  # the model's call only receives them
    return None


def of_targets(finding: Finding, scene: Scene, moved: bool = False) -> Where | None:
    """The line that made what the model is to answer; `moved`: the one that put it out of order."""
    if scene.record is None or (finding.where is not None and finding.where.line):
        return None
    calls = [call for call in loss_calls(scene.record) if call.line]
    return where_target_made(scene.record, calls[0], moved=moved) if calls else None


def behind(where: Where | None, finding: Finding, rank: Rank, scene: Scene) -> Where | None:
    """That line, or the statement behind it where the line only hands on what was made elsewhere."""
    if not hands_on(where or finding.where):
        return where
    return best_statement(rank, scene.sources) or where


def last_resort(where: Where | None, finding: Finding, rank: Rank, scene: Scene) -> Where | None:
    """That line; a statement of the source where nothing at all says where."""
    if where is not None or has_place(finding):
        return where
    return best_statement(rank, scene.sources)
