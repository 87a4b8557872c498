"""One stage for the tests that only put jobs on it: to start one loads torch."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package")
def stage() -> Iterator[object]:
    pytest.importorskip("torch")
    from sleuth.lab.client import Stage

    with Stage() as made:
        yield made
