"""Found on PYTHONPATH by a watched Python process: begins to record, and steps out of the way.

Python imports `sitecustomize` before the script. A user's own one is imported as if this were not there.
"""

import os
import sys


def _step_aside() -> None:
    """Leave the import path (not the environment: child processes are to find this file, too)."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        if ours is not None:
            sys.modules["sitecustomize"] = ours


def _begin() -> None:
    if not os.environ.get("SLEUTH_RECORD"):
        return
    try:
        from sleuth.watching.process import begin

        begin()
    except Exception as error:
        sys.stderr.write(f"sleuth: this process is not watched ({type(error).__name__}: {error}).\n")


_step_aside()
_begin()
