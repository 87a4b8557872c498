"""Calls the function `train` of a Python plan for one run: `python -m sleuth.sweeping.call FILE PARAM
VALUE SEED`.
"""

import json
import os
import runpy
import sys
from typing import Any

from sleuth.sweeping.table import meaning


def main(path: str, param: str, value: str, seed: str) -> None:
    """The function takes the parameter and the seed by name, and returns a number or a dict of numbers."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    names = runpy.run_path(path)
    result = names["train"](**{param: meaning(value), "seed": meaning(seed)})
    with open(os.environ["SLEUTH_RESULT"], "w", encoding="utf-8") as file:
        json.dump(plain(result), file)


def plain(result: Any) -> Any:
    """Numbers of any library as Python's own."""
    if isinstance(result, dict):
        return {str(key): float(value) for key, value in result.items()}
    return float(result)


if __name__ == "__main__":
    main(*sys.argv[1:5])
