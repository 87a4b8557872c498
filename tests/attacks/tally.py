"""How often an attack was tried and how often it got through, for the table in docs/reliability.md."""

import json
import os


def tally(attack: str, tried: int, failed: int) -> None:
    """Add a line to the file named by SLEUTH_ATTACKS; without it, nothing."""
    if not (path := os.environ.get("SLEUTH_ATTACKS")):
        return
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({"attack": attack, "tried": tried, "failed": failed}) + "\n")
