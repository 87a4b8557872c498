"""What holds for all tests."""

import gc


def pytest_collection_finish() -> None:
    """Thousands of tests and what they load are millions of objects that stay: no search for garbage or for
    tensors need go through them again and again (a recorded run of three steps took a second for it)."""
    gc.collect()
    gc.freeze()
