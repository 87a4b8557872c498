"""How long `sleuth --help` takes, as a multiple of starting Python and doing nothing."""

import subprocess
import sys
import time

ROUNDS = 15


def ratio() -> float:
    """Best of several turns each, taken in turn."""
    bare, help_text = [float("inf")], [float("inf")]
    for _ in range(ROUNDS):
        bare.append(_seconds([sys.executable, "-c", "pass"]))
        help_text.append(_seconds([sys.executable, "-m", "sleuth", "--help"]))
    return min(help_text) / min(bare)


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started
