"""What makes two runs with one seed differ is found in the source, and confirmed by a second process."""

import textwrap
from pathlib import Path

import pytest

from sleuth.places.chance import left_to_chance

BY_CHANCE = {
    "a set that is numbered": "vocab = set()\nindex = {w: i for i, w in enumerate(vocab)}",
    "a union in a list": "words = set(a) | set(b)\nx = 1\norder = list(words)",
    "a comprehension over a set": "rows = [encode(w) for w in {t for d in docs for t in d}]",
    "a loop over a set": "seen: set[str] = set()\nx = 1\nfor word in seen:\n    emit(word)",
    "an attribute": "self.labels = frozenset(names)\nself.order = tuple(self.labels)",
    "a hash": "x = 1\nbucket = hash(word) % 64",
    "the clock": "import time\nseed = int(time.time())",
    "the clock, at once": "import time\ntorch.manual_seed(time.time_ns() % 1000)",
    "a process": "import os\nnp.random.seed(os.getpid())",
    "a listing": "x = 1\nfiles = os.listdir(folder)",
    "a race": "x = 1\nfor done in as_completed(jobs): rows.append(done.result())",
    "memory": "x = 1\nbuffer = torch.empty(64, 3)",
}
REPEATABLE = [
    "index = {w: i for i, w in enumerate(sorted(set(words)))}",
    "words = set(a)\nwords = sorted(words)\nindex = {w: i for i, w in enumerate(words)}",
    "classes = len(set(labels))",
    "total = sum(counts[w] for w in set(words))",
    "import time\nstart = time.time()\nprint(time.time() - start)",
    "files = sorted(os.listdir(folder))",
    "seen = set()\nfor w in words:\n    if w not in seen:\n        seen.add(w)",
    "common = {w for w in set(a)}",
    "hash = zlib.crc32(word)",
]


@pytest.mark.parametrize("name", BY_CHANCE)
def test_what_differs_in_every_process_is_pointed_at(name: str, tmp_path: Path) -> None:
    source = textwrap.dedent(BY_CHANCE[name])
    (tmp_path / "train.py").write_text(source)
    where = left_to_chance([tmp_path / "train.py"])
    last = 3 if "loop" in name else len(source.splitlines())
    assert where is not None
    assert where.line == last


@pytest.mark.parametrize("source", REPEATABLE)
def test_what_repeats_is_let_be(source: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(source)
    assert left_to_chance([tmp_path / "train.py"]) is None


def test_the_surest_comes_first(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("files = os.listdir(folder)\nx = list(set(words))\nb = hash(word)\n")
    where = left_to_chance([tmp_path / "train.py"])
    assert where is not None
    assert where.line == 3
