"""The plan that completes a sweep: exactly the missing cells, with the configuration they were run with."""

import json
from collections.abc import Mapping
from typing import Any

from sleuth.errors import SleuthError
from sleuth.sweeping import store
from sleuth.sweeping.plan import toml
from sleuth.sweeping.result import Analysis, Group

COMMAND = "python train.py --{param} {value} --seed {seed}"


def fill_plan(analysis: Analysis) -> str:
    """TOML for `sleuth sweep run`. Only one group can be filled by one plan."""
    groups = [group for group in analysis.groups if group.missing]
    if not groups:
        raise SleuthError("Nothing is missing: every value has a run for every seed.")
    parts = [_one(analysis, group) for group in groups]
    head = "# Runs that are missing. Check the command, then: sleuth sweep run THIS_FILE\n"
    if len(parts) > 1:
        head += "# One plan a group: cut the others out, or save each as a file of its own.\n"
        return head + "\n\n".join(
            "# " + part.replace("\n", "\n# ") if at else part for at, part in enumerate(parts)
        )
    return head + parts[0]


def _one(analysis: Analysis, group: Group) -> str:
    kept = _own(str(group.group))
    data: dict[str, Any] = {
        "name": str(kept.get("name", f"{_word(str(group.group))}-fill")),
        "question": str(kept.get("question", f"complete the sweep {group.group}")),
        "command": kept.get("command", COMMAND.replace("{param}", group.param)),
        "adapter": kept.get("adapter", "template"),
        "param": group.param,
        "values": list(dict.fromkeys(value for value, _ in group.missing)),
        "seeds": list(dict.fromkeys(seed for _, seed in group.missing)),
        "cells": [list(pair) for pair in group.missing],
        "metric": analysis.metric,
        "direction": "lower" if analysis.lower_is_better else "higher",
        "group": str(group.group),
        "config": dict(kept.get("config", {})),
    }
    return toml(data)


def _own(name: str) -> Mapping[str, Any]:
    """What Sleuth itself knows about a sweep of this name."""
    try:
        data = store.read_json(store.sweep_folder(name) / "plan.json")
    except (OSError, json.JSONDecodeError):
        return {}
    return data


def _word(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_.=" else "_" for sign in name) or "sweep"
