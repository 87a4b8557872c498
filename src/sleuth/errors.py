"""What Sleuth says when the request, not Sleuth, is wrong."""

from collections.abc import Iterable


class SleuthError(Exception):
    """A mistake in the request: one clear sentence for the user, no traceback, exit code 2."""


class ReaderLeft(Exception):
    """Nobody reads standard output any more: a broken pipe under a name that click does not answer itself."""


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """A hint to append to a message, or nothing when no known word is near."""
    from difflib import get_close_matches  # only needed on a mistake, and not free to load

    near = get_close_matches(wrong, list(known), n=3, cutoff=0.6)
    if not near:
        return ""
    return f" Did you mean {' or '.join(repr(word) for word in near)}?"


class DetectorFailed(RuntimeWarning):
    """One cause could not be looked for, by a mistake of Sleuth's; the others were."""
