"""Which process records where: the script itself, ranks of a distributed run, and other children."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

RECORD, LEVEL, CLAIMED = "SLEUTH_RECORD", "SLEUTH_LEVEL", "SLEUTH_CLAIMED"
INJECT = Path(__file__).resolve().parent / "inject"


def environment(record: Path, level: str, base: Mapping[str, str]) -> dict[str, str]:
    """What a child process needs to be watched."""
    paths = [str(INJECT), *([base["PYTHONPATH"]] if base.get("PYTHONPATH") else [])]
    kept = {key: value for key, value in base.items() if key != CLAIMED}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths),
        RECORD: str(record.absolute()),
        LEVEL: level,
    }


def begin() -> None:
    """Record this process. Children of the script write only once they train, each to a file of its own."""
    from sleuth.watching.install import install

    whole = Path(os.environ[RECORD])
    rank, claimed = os.environ.get("RANK", ""), os.environ.get(CLAIMED)
    child = claimed is not None or _spawned()
    os.environ[CLAIMED] = str(os.getpid())
    if rank.isdigit() and claimed is not None:
        path = whole.with_name(f"{whole.stem}.rank{rank}.jsonl")
    else:
        path = whole.with_name(f"{whole.stem}.{os.getpid()}.jsonl") if child else whole
    install(path, level=os.environ.get(LEVEL, "default"), when_training=child)


def _spawned() -> bool:
    """A worker that multiprocessing started afresh."""
    return any("multiprocessing" in word for word in sys.orig_argv)


def records(whole: Path) -> list[Path]:
    """The record of the script and those of its children that trained, rank by rank."""
    others = sorted(
        path for path in whole.parent.glob(f"{whole.stem}.*.jsonl") if path.stat().st_size and path != whole
    )
    return [whole, *others]
