"""The archive's few words to a user whose script goes on regardless."""

import sys

from sleuth.terminal import harmless


def say(sentence: str) -> None:
    sys.stderr.write(f"sleuth: {harmless(sentence)}\n")
    sys.stderr.flush()
