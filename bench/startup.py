"""What `sleuth --help` costs, as a multiple of starting Python and doing nothing."""

import subprocess
import sys

from bench.lint import best


def ratio() -> float:
    """Processor time, the least of several turns each, taken in turn: a busy machine does not count."""
    seconds = best(
        {
            "bare": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
            "help": lambda: subprocess.run(
                [sys.executable, "-m", "sleuth", "--help"], check=True, stdout=subprocess.DEVNULL
            ),
        }
    )
    return seconds["help"] / seconds["bare"]
