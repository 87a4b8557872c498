"""Known mistakes, each as the way it bends a stream of experience.

Which cause one is the fingerprint of, and its repair, stand in the cause's file (`FINGERPRINTS`).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sleuth.rl.streams import Belief, Mistake, Stream


def known() -> Mapping[str, Mistake]:
    """Every mistake that bends experience, with its fingerprint."""
    return _discounts() | _shifts() | _ends() | _sizes() | _phantoms() | _starts()


def _discounts() -> dict[str, Mistake]:
    zero = (
        "values are exactly the immediate rewards: nothing is carried back in time (gamma is 0, the next "
        "value is masked away, or the target network never learns)"
    )
    rates = {
        f"gamma-{rate}": Mistake(f"values are those of a discount near {rate}", gamma=_always(rate))
        for rate in (0.5, 0.8, 0.9, 0.95)
    }
    return {
        "gamma-zero": Mistake(zero, gamma=_always(0.0)),
        **rates,
        "next-is-same": Mistake(
            "values are those of an agent whose next observation is the current one",
            link=lambda stream: stream.seen,
            one_step=True,
        ),
        "mask-inverted": Mistake(
            "the next value counts where an episode ends and nowhere else: the mask is inverted",
            mask=lambda stream: ~stream.terminated,
            link=_reset_after,
        ),
    }


def _shifts() -> dict[str, Mistake]:
    """Columns of the buffer that do not belong to one step."""
    bends = {
        "reward-later": ("each reward stands one row late", _column("reward", 1)),
        "reward-lost": (
            "each reward stands one row late, and the last of an episode is lost with the row of its reset",
            _reward_lost,
        ),
        "reward-earlier": ("each reward stands one row early", _column("reward", -1)),
        "action-later": ("each action stands one row late", _column("action", 1)),
        "action-earlier": ("each action stands one row early", _column("action", -1)),
        "observation-late": ("each observation stands one row late", _column("seen", 1)),
        "observation-early": ("each row holds the observation of the next step", _column("seen", -1)),
        "observation-next": ("each row holds the observation after the step, not before it", _after_as_seen),
        "done-late": ("each end of an episode stands one row late", _flags(1)),
        "done-early": ("each end of an episode stands one row early", _flags(-1)),
    }
    return {label: Mistake(says, bend=bend) for label, (says, bend) in bends.items()}


def _ends() -> dict[str, Mistake]:
    """True ends and time limits taken for one another, and what flows over them."""
    return {
        "truncation-ends": Mistake(
            "a time limit is taken for a true end: the state it cuts off is worth nothing more",
            mask=_at_ends,
        ),
        "truncation-resets": Mistake(
            "at a time limit the value of the next episode's first observation is used",
            link=_reset_after,
            one_step=True,
        ),
        "through-end": Mistake(
            "the value of the next observation counts at a true end as well",
            mask=_never,
            leaks=True,
        ),
        "through-end-reset": Mistake(
            "the next episode's first value counts at a true end",
            mask=_never,
            link=_reset_after,
            leaks=True,
        ),
        "leak": Mistake(
            "what the next episode earns flows back over the end into this one",
            leaks=True,
            one_step=True,
        ),
    }


def _sizes() -> dict[str, Mistake]:
    """Values of a wrong size, sign or centre, and one value for everything."""
    times = {
        f"times-{factor:g}": Mistake(
            f"values are {factor:g} times what they should be",
            bend=_scaled(factor),
        )
        for factor in (0.1, 0.5, 2.0, 10.0)
    }
    return {
        "blind": Mistake(
            "all states have the same value, the average of all: the observation does not reach the value",
            bend=_same_value,
            blind=True,
        ),
        "sign": Mistake(
            "values have the right size and the wrong sign",
            bend=_scaled(-1.0),
        ),
        "centred": Mistake(
            "values are those of rewards with their mean taken off",
            bend=_centred,
        ),
        "clipped": Mistake(
            "values are those of rewards clipped to [-1, 1]",
            bend=_clipped,
        ),
        **times,
    }


def _phantoms() -> dict[str, Mistake]:
    return {
        label: Mistake(
            "rows between two episodes that nobody played are learnt from (a vector environment that resets "
            "on the next step)",
            bend=_phantom,
            mask=mask,
        )
        for label, mask in (("phantom", _at_ends), ("phantom-bootstrapped", _at_true_ends))
    }


def _starts() -> dict[str, Mistake]:
    return {
        "reset-dropped": Mistake(
            "each episode begins with the last observation of the one before: what `reset` returned is "
            "dropped",
            bend=_reset_dropped,
        )
    }


MYOPIC = Mistake(
    "values are right, and the policy still cares only for what an action earns at once",
)


def policy_mistakes() -> dict[str, tuple[Mistake, Callable[[Belief], Belief]]]:
    """Mistakes that leave the values alone, and one that leaves nothing learnt."""
    return {
        "policy-sign": (
            Mistake(
                "the policy becomes certain of the *wrong* action: a sign is flipped",
            ),
            lambda belief: Belief(belief.values, -belief.gap, belief.spread),
        ),
        "policy-still": (
            Mistake(
                "the policy does not come to prefer the paid action: no signal reaches it",
            ),
            lambda belief: Belief(belief.values, belief.gap * 0.0, belief.spread),
        ),
        "policy-blind": (
            Mistake(
                "one right action is found, but not a different one for each observation",
            ),
            lambda belief: Belief(belief.values, _blind_gap(belief.gap), belief.spread),
        ),
        "value-still": (
            Mistake(
                "the values hardly leave where they began, in every world",
            ),
            lambda belief: Belief(tuple(values * 0.0 for values in belief.values), belief.gap * math.nan),
        ),
    }


def _blind_gap(gap: Any) -> Any:
    import numpy as np

    return np.full_like(gap, np.nanmean(gap)) if len(gap) else gap


def _always(rate: float) -> Callable[[float], float]:
    return lambda _: rate


def _shifted(column: Any, by: int) -> Any:
    import numpy as np

    return np.roll(column, by)


def _same_value(stream: Stream) -> Stream:
    """Every observation is the same one."""
    import numpy as np

    nothing = np.zeros_like(stream.seen)
    return replace(stream, seen=nothing, after=nothing, follows=nothing)


def _phantom(stream: Stream) -> Stream:
    """After each end a row (final observation, nothing earned, next episode) that no one played."""
    import numpy as np

    ends = np.flatnonzero(stream.ended) + 1
    no = np.zeros(len(ends), bool)
    last = ends - 1

    def with_rows(column: Any, rows: Any) -> Any:
        return np.insert(column, ends, rows)

    return replace(
        stream,
        seen=with_rows(stream.seen, stream.after[last]),
        action=with_rows(stream.action, stream.action[last]),
        reward=with_rows(stream.reward, 0.0),
        after=with_rows(stream.after, stream.follows[last]),
        follows=with_rows(stream.follows, stream.follows[last]),
        terminated=with_rows(stream.terminated, no),
        truncated=with_rows(stream.truncated, no),
    )


def _reward_lost(stream: Stream) -> Stream:
    import numpy as np

    begins = _shifted(stream.ended, 1)
    return replace(stream, reward=np.where(begins, 0.0, _shifted(stream.reward, 1)))


def _reset_dropped(stream: Stream) -> Stream:
    import numpy as np

    begins = _shifted(stream.ended, 1)
    return replace(stream, seen=np.where(begins, _shifted(stream.after, 1), stream.seen))


def _scaled(factor: float) -> Callable[[Stream], Stream]:
    return lambda stream: replace(stream, reward=stream.reward * factor)


def _clipped(stream: Stream) -> Stream:
    import numpy as np

    return replace(stream, reward=np.clip(stream.reward, -1.0, 1.0))


def _centred(stream: Stream) -> Stream:
    return replace(stream, reward=stream.reward - stream.reward.mean())


def _reset_after(stream: Stream) -> Any:
    import numpy as np

    return np.where(stream.ended, stream.follows, stream.after)


def _after_as_seen(stream: Stream) -> Stream:
    return replace(stream, seen=stream.after)


def _column(name: str, by: int) -> Callable[[Stream], Stream]:
    return lambda stream: replace(stream, **{name: _shifted(getattr(stream, name), by)})


def _flags(by: int) -> Callable[[Stream], Stream]:
    def bend(stream: Stream) -> Stream:
        # The next observation is the next row's: with flags in the wrong place nobody knows the final one.
        return replace(
            stream,
            terminated=_shifted(stream.terminated, by),
            truncated=_shifted(stream.truncated, by),
            after=stream.follows,
        )

    return bend


def _at_ends(stream: Stream) -> Any:
    return stream.ended


def _at_true_ends(stream: Stream) -> Any:
    return stream.terminated


def _never(stream: Stream) -> Any:
    return stream.terminated & False
