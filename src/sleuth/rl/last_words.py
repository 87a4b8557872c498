"""The last words of a user's script."""


def last_words(stderr: str) -> str:
    """The message at the end of a traceback, or the last line, as one line."""
    lines = stderr.strip().splitlines()
    frames = [place for place, line in enumerate(lines) if line.startswith("  ")]
    after = lines[frames[-1] + 1 :] if frames and "Traceback" in stderr else lines[-1:]
    return " ".join(" ".join(after or lines[-1:]).split())
