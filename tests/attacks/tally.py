"""Counts of attacks, for the page on reliability: one line each in the file that `SLEUTH_ATTACKS` names."""

import json
import os
from pathlib import Path


def tally(attack: str, tried: int, failed: int) -> None:
    """Note how often an attack was tried, and how often it did harm. Without the variable nothing is kept."""
    if named := os.environ.get("SLEUTH_ATTACKS"):
        with Path(named).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"attack": attack, "tried": tried, "failed": failed}) + "\n")
