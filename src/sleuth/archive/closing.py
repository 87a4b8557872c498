"""The end of a run: how it ended is kept, its series go into the index, a long record is packed."""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sleuth.archive import index, record
from sleuth.archive.facts import END
from sleuth.archive.saying import say
from sleuth.errors import SleuthError
from sleuth.files import write_whole
from sleuth.finding import Finding

if TYPE_CHECKING:
    from sleuth.archive.run import Run


def close(run: "Run", exit_code: int, findings: Sequence[Finding], summary: Mapping[str, Any]) -> None:
    """A failure here costs the record, never the run: it is said once."""
    try:
        found = record.digest(run.events())
        end = {
            "ended": run.meta.get("ended", time.time()),
            "exit_code": exit_code,
            "steps": found.steps,
            "seeds": [{"what": what, "value": value} for what, value in found.seeds],
            "findings": [finding.to_dict() for finding in findings],
            "summary": dict(summary),
        }
        write_whole(run.folder / END, json.dumps(end, indent=1, default=str) + "\n")
        index.write(run, run.meta, found)
        record.pack(run.folder)
    except (OSError, sqlite3.Error, SleuthError) as error:
        say(f"The record of run {run.id} is incomplete: {error}. What was written is in {run.folder}.")


def indexed_again(run: "Run") -> record.Digest:
    """What the index should know of a run and does not: read from its folder, and put back if it is over."""
    found, facts = record.digest(run.events()), run.facts
    if facts.over and not facts.damage:
        with suppress(OSError, sqlite3.Error):
            index.write(run, facts.known, found)
    return found
