"""Why a measurement could not be made: said once, and shown as "not examined"."""


class NotApplicable(Exception):
    """The measurement does not exist for these objects; the message says why, without a full stop."""


class OutOfTime(NotApplicable):
    """The measurement would have ended after the time budget, so it was not begun."""


# What torch says where the request is easily put right, and what to do then.
_TEACHING = {
    "backward through the graph a second time": "the step calls backward itself: let it return the loss "
    "before that, and leave the optimizer alone",
}


def one_line(error: BaseException) -> str:
    """`ValueError: what it said`, on one line and not too long."""
    for words, lesson in _TEACHING.items():
        if words in str(error):
            return lesson
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:200]}" if said else type(error).__name__
