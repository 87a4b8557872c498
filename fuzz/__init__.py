"""Coverage-guided fuzzing of whatever Sleuth reads: one target a file, each a function `one(data: bytes)`.

A target passes over what Sleuth refuses in a sentence (SleuthError); whatever else is raised is a find.
`fuzz/corpus/<target>/` keeps the inputs that were finds once; a test replays them.
"""

from pathlib import Path

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
TARGETS = tuple(
    sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("__init__", "__main__", "engine"))
)
