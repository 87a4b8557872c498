"""Why a measurement could not be made: said once, and shown as "not examined"."""


class NotApplicable(Exception):
    """The measurement does not exist for these objects; the message says why, without a full stop."""


def one_line(error: BaseException) -> str:
    """`ValueError: what it said`, on one line and not too long."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:200]}" if said else type(error).__name__
