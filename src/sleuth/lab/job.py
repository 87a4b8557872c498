"""One run of a script on the stage, and how it came out: plain data that goes through a pipe."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

OWN_FAULT = 113  # exit code of a child in which Sleuth itself failed; hardly any program ends with it


@dataclass(frozen=True)
class Job:
    """What to run. `world` names the change, `undo` the causes to take back."""

    id: str
    script: str
    arguments: tuple[str, ...] = ()
    module: str | None = None
    folder: str = "."  # working directory of the script
    scratch: str = ""  # where record, output and result go
    world: str = ""  # an experiment
    undo: tuple[str, ...] = ()
    # The module whose `look(job)` runs the script and asks its objects; none: it is recorded.
    look: str = ""
    metric: str = ""  # that is asked about, for "stuck"
    without: tuple[str, ...] = ()  # terms of the loss that are cut off, for "stuck"
    phases: int = 1  # optimizers whose first step is probed
    steps: int | None = None
    seconds: float | None = None
    time_limit: float = 60.0
    guarded: tuple[str, ...] = ()  # folders it must not write into
    environment: Mapping[str, str] = field(default_factory=dict)
    only: int | None = None  # broken off after so many steps, with loops as `steps` shortens them
    fresh: bool = False  # in an interpreter of its own, with hashes and generators that start elsewhere

    @property
    def record(self) -> str:
        return f"{self.scratch}/{self.id}.jsonl"

    def file(self, what: str) -> str:
        return f"{self.scratch}/{self.id}.{what}"

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        return cls(**_tupled(json.loads(text)))


@dataclass(frozen=True)
class Ending:
    """How a job came out. Status: finished, stopped (enough was seen, or time was up), raised, exited, wrote
    (where it must not), killed (it did not end when time was up), died (by the signal in `message`)."""

    id: str
    status: str = "killed"
    exit_code: int = 0
    steps: int = 0
    limit: int | None = None  # steps it was allowed, once the pace was known
    seconds: float = 0.0
    cut: Mapping[str, int] = field(default_factory=dict)
    took_hold: Mapping[str, int] = field(default_factory=dict)  # change → how often it changed something
    exception: str = ""
    message: str = ""
    frames: tuple[tuple[str, int, str], ...] = ()
    detail: str = ""
    report: Mapping[str, Any] | None = None  # of a probe
    out_of_time: bool = False  # broken off by its time limit
    unrecorded: str = ""  # why the record of its steps could not be written

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Ending":
        known = {entry.name for entry in fields(cls)}
        return cls(**_tupled({key: value for key, value in json.loads(text).items() if key in known}))


def _tupled(data: dict[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(tuple(part) if isinstance(part, list) else part for part in value)
        if isinstance(value, list)
        else value
        for key, value in data.items()
    }
