"""Judgements of `sleuth rl check` about actions, ends, seeds and delays."""

from collections import Counter
from collections.abc import Iterator

from sleuth.finding import Finding
from sleuth.rl.saying import said
from sleuth.rl.soundness import Facts

ENOUGH = 8  # episodes, before "all of them" means anything
GONE = 0.05  # of a reward's worth left when it arrives: see the page of horizon-too-short


def actions(facts: Facts) -> Iterator[Finding]:
    if facts.actions_matter is False:
        yield said(
            "policy-update-broken",
            "Other actions change nothing: from the same seed, four different lists of actions gave the same "
            "observations, rewards and ends.",
            "Look for the place where `step` drops its argument (a wrapper, a wrong index, a clip).",
            0.9,
        )


def lengths(facts: Facts) -> Iterator[Finding]:
    ended = [episode for entry in facts.plays for episode in entry.episodes if episode.ended]
    endless = [e for entry in facts.plays for e in entry.episodes if not e.ended and e.length >= 1000]
    if not ended and endless:
        yield said(
            "episode-length-degenerate",
            f"No episode ever ended: {max(e.length for e in endless)} steps without terminated or truncated.",
            "Pass `terminated` on, or set a time limit (`gymnasium.wrappers.TimeLimit`).",
            0.85,
            "warning",
        )
        return
    lengths = {episode.length for episode in ended}
    by_flag = [
        episode for episode in ended if episode.steps[-1].terminated and not episode.steps[-1].truncated
    ]
    if len(ended) >= ENOUGH and len(lengths) == 1 and len(by_flag) == len(ended) and max(lengths) > 1:
        length = max(lengths)
        yield said(
            "episode-length-degenerate",
            f"All {len(ended)} episodes ended after exactly {length} steps with `terminated`, whatever "
            "was done.",
            "If a clock ends the episode, send `truncated`; if the task has this length, put the time "
            "into the "
            "observation.",
            0.8,
            "warning",
            length=length,
        )
        yield _clock(length, len(ended), 0.6)
    elif by_flag and not any(episode.steps[-1].truncated for episode in ended):
        counts = Counter(episode.length for episode in by_flag)
        longest = max(counts)
        if longest >= 10 and counts[longest] >= 3 and counts[longest] >= 0.1 * len(by_flag):
            yield _clock(longest, counts[longest], 0.75)


def _clock(length: int, count: int, credence: float) -> Finding:
    return said(
        "truncation-as-termination",
        f"{count} episodes ended at exactly {length} steps, none later, and the flag was `terminated`: a "
        "time limit that "
        "is sent as a true end teaches that good states are worthless.",
        "Return `truncated=True, terminated=False` when the clock ends the episode.",
        credence,
        "warning",
        length=length,
    )


def flags(facts: Facts) -> Iterator[Finding]:
    ends = [episode.steps[-1] for entry in facts.plays for episode in entry.episodes if episode.ended]
    both = sum(bool(step.terminated) and bool(step.truncated) for step in ends)
    if len(ends) >= 3 and both > 0.5 * len(ends):
        yield said(
            "truncation-as-termination",
            f"{both} of {len(ends)} ends set both `terminated` and `truncated`: an agent that asks either "
            "flag alone "
            "learns something false.",
            "Set exactly one of the two.",
            0.9,
            both=both,
        )


def seeding(facts: Facts) -> Iterator[Finding]:
    if not facts.fresh_alike:
        yield said(
            "seed-lottery",
            "Two fresh environments with the same seed and the same actions go different ways: the seed "
            "does not "
            "reach everything that is drawn, and no run can be repeated.",
            "Draw from `self.np_random` only, after `super().reset(seed=seed)`.",
            0.9,
            "warning",
        )


def leak(facts: Facts) -> Iterator[Finding]:
    if not facts.fresh_alike or facts.used_alike:
        return
    if facts.first_reward_only:
        yield said(
            "buffer-misaligned",
            "The first reward of an episode belongs to the episode before: rewards are returned one step "
            "late, and the "
            "rest is as in a fresh environment.",
            "Return the reward of the step that was just made; clear it in `reset`.",
            0.9,
        )
        return
    yield said(
        "episode-not-reset",
        "An environment that was played before does not repeat what a fresh one does with the same seed: "
        "some state "
        "survives `reset`.",
        "Set every attribute that `step` changes anew in `reset`.",
        0.9,
    )


def copies(facts: Facts) -> Iterator[Finding]:
    if facts.seeds_matter and facts.unseeded_alike and facts.fresh_alike:
        yield said(
            "envs-correlated",
            "Copies made without a seed all start alike, though seeds make a difference: parallel copies "
            "will run in "
            "step with each other.",
            "Draw from `self.np_random` without a fixed seed in the constructor.",
            0.8,
            "warning",
        )


def horizon(facts: Facts) -> Iterator[Finding]:
    """How long the first reward takes where most steps pay nothing."""
    delays = []
    for episode in facts.random.episodes:
        paid = [place + 1 for place, step in enumerate(episode.steps) if float(step.reward) not in (0.0,)]
        if paid and len(paid) <= 0.05 * max(episode.length, 20):
            delays.append(paid[0])
    if len(delays) < 3:
        return
    typical = sorted(delays)[len(delays) // 2]
    if facts.gamma**typical < GONE:
        yield said(
            "horizon-too-short",
            f"A typical reward comes {typical} steps after the start; at gamma {facts.gamma:g} "
            f"{facts.gamma**typical:.1%} of it is left by then (horizon {1 / (1 - facts.gamma):.0f} steps).",
            "Choose gamma near 1 - 1/delay, or shorten the delay.",
            0.7,
            "warning",
            delay=typical,
        )
