"""Environments that gym or gymnasium make."""

import re

from sleuth.facts.flow import root
from sleuth.facts.interpreter.values import Call, Value
from sleuth.facts.words import Pattern

AUTORESET = Pattern(r"vec|Vec|auto_?reset|AutoReset|Autoreset", re.IGNORECASE)


def is_made_by_gym(environment: Value | None) -> bool:
    """One environment (not a vector of them) from `gym.make`, wrapped or not, that does not reset itself."""
    here, depth = root(environment), 0
    while isinstance(here, Call) and here.op.startswith(("gymnasium.", "gym.")) and depth < 8:
        if AUTORESET.search(here.op) or "autoreset" in here.keywords or "**" in here.keywords:
            return False
        if here.op in ("gymnasium.make", "gym.make"):
            return True
        here, depth = root(here.args[0]) if here.args else None, depth + 1
    return False
