"""What fuzzing found once is found no more."""

from importlib import import_module
from pathlib import Path

import pytest

from fuzz import CORPUS, TARGETS
from tests.attacks.tally import tally

FINDS = sorted(path for path in CORPUS.rglob("*") if path.is_file())
# Whatever the target: nothing, junk, too plain.
SAMPLES = (b"", b"\0", b"{}", b'{"cells": []}', b"x" * 5_000, b"\0" * 50)


@pytest.mark.parametrize("find", FINDS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_find_is_mended(find: Path) -> None:
    import_module(f"fuzz.{find.parent.name}").one(find.read_bytes())
    tally("inputs that fuzzing found", 1, 0)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_takes_odd_input(target: str) -> None:
    one = import_module(f"fuzz.{target}").one
    for sample in SAMPLES:
        one(sample)


def test_every_folder_of_the_corpus_has_a_target() -> None:
    assert {path.parent.name for path in FINDS} <= set(TARGETS)
