"""What more than one cause says of an environment that was played."""

from collections.abc import Callable, Iterator
from typing import Any

from sleuth.finding import Evidence
from sleuth.rl.played import Played, is_finite
from sleuth.rl.rollouts import Step


def not_finite(played: Played, what: str, of: Callable[[Step], Any]) -> Iterator[Evidence]:
    """NaN and infinity, also late: the first step of an episode at which they show."""
    late = played.places(lambda step: not is_finite(of(step)))
    if late:
        yield Evidence(
            f"The {what} is NaN or infinite, first at step {min(late)} of an episode ({len(late)} steps in "
            "all): one such number destroys every weight it touches.",
            "proven",
            numbers={"first_step": min(late), "count": len(late)},
            fix=f"Find the division, root or logarithm behind the {what}; assert that it is finite in "
            "`step`.",
        )
