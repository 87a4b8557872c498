"""The archive's few words to a user whose script goes on regardless."""

import sys


def say(sentence: str) -> None:
    sys.stderr.write(f"sleuth: {sentence}\n")
    sys.stderr.flush()
