"""Times as people write them: `2d`, `yesterday`, `2026-03-01`."""

import re
from datetime import datetime, timedelta

from sleuth.errors import SleuthError

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(text: str, now: datetime) -> float:
    """The time meant, in seconds; `now` is local, and so are dates."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    named = {"today": midnight, "yesterday": midnight - timedelta(days=1)}
    if text in named:
        return named[text].timestamp()
    try:
        if span := re.fullmatch(r"(\d{1,6})([smhdw])", text):
            return (now - timedelta(**{UNITS[span[2]]: int(span[1])})).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise SleuthError(
            f"Cannot read {text!r} as a time: write 2d, 12h, today, yesterday or 2026-03-01."
        ) from None
