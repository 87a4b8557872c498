"""The policy does not come to prefer the action that is rewarded.

## What happens
Two actions, no observation, one step: +1 for one and -1 for the other. Any working learner takes
the good one nearly always after a few hundred steps. If yours does not, the chain advantage,
log-probability, loss, step is broken. With the sign flipped the policy becomes *certain of the
wrong action*, which reads like collapsed exploration; with the gradient cut it stays at 50:50.

The classics: `loss = log_prob * adv` without the minus; an action resampled in the update, so the
log-probability is of another action; the action stored one step off; the ratio computed from two
new log-probabilities (always 1, clipping never acts); log-probabilities of shape (N,) times
advantages (N, 1), which averages the signal away; advantages that carry a graph into the critic;
advantages normalised over a minibatch of one (standard deviation NaN).
```python
action = dist.sample()                            # in the update: a new action!
loss = -(dist.log_prob(action) * adv).mean()
```

## How to tell
- **probe**: environment 4: probability of the rewarded action above 0.8 at the end. Near 0: sign.
  Near 0.5: no signal. For Q agents check the *gap* Q(good) - Q(bad), which must be 2: with
  actions shifted by one step the greedy action was right and the gap only 0.3.
- **watch**: policy loss, entropy or KL becomes NaN or infinite; or the best episodes rise while the
  mean return stays where it was.
- **refuted by**: in environment 4 the policy holds the good action above 0.9.

## How to fix
```python
dist = policy(obs)
logp = dist.log_prob(stored_action)
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
ratio = torch.exp(logp - stored_logp)             # stored_logp: no gradient
loss = -torch.min(ratio * adv, ratio.clamp(1 - eps, 1 + eps) * adv).mean()
```
At the first minibatch of each update the ratio must be 1 to rounding: assert it. It catches half
of this list.

## Often mistaken for
- `entropy-collapsed`: certain of a wrong action in the real task, while environment 4 is solved.
- `policy-obs-coupling-broken`: environment 4 passes and 5 fails.
- `loss-broadcast`: the root when log-probability and advantage shapes differ.

## Sources
- jones-2021: the part on probe environments, the fourth of the list: two actions and a reward
  that depends on them.
- schulman-ppo-2017: section 3, the clipped objective and the ratio to the old policy.
- sutton-2018: section 13.4, the update of REINFORCE with baseline, for the sign.
"""

from collections.abc import Iterator
from statistics import median

from sleuth.finding import Evidence
from sleuth.rl.checked_sums import CheckedSums, by_known_flaw
from sleuth.rl.climbed import Climb
from sleuth.rl.course import POINTS, LoggedAgent, no_number
from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break, by_world_beside
from sleuth.rl.logs import finite
from sleuth.rl.played import Played

SUSPECTED_BY = "action target-action edge-action"
FLAWED_SUMS = ("sign",)
FINGERPRINTS = {
    "policy-sign": "Minimise -(log_prob * advantage); compute advantages as return - value.",
    "policy-still": "Take log-probabilities of the stored actions, shapes alike, advantages without a graph.",
    "policy-myopic": "Compute advantages as reward + gamma * V(next) - V(state), with V of the state that "
    "was acted in.",
}


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, {}, SUSPECTED_BY)
    yield from by_world_beside(climb, SUSPECTED_BY)


def check_sums(sums: CheckedSums) -> Iterator[Evidence]:
    yield from by_known_flaw(sums, FLAWED_SUMS)


def check_env(played: Played) -> Iterator[Evidence]:
    if played.actions_matter is False:
        yield Evidence(
            "Other actions change nothing: from the same seed, four different lists of actions gave the same "
            "observations, rewards and ends.",
            "proven",
            fix="Look for the place where `step` drops its argument (a wrapper, a wrong index, a clip).",
        )


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    if (seen := no_number(agent, of_values=False)) is not None:
        yield seen
    yield from _best_apart(agent)


def _best_apart(agent: LoggedAgent) -> Iterator[Evidence]:
    """Single episodes get better and the mean does not: what pays is found, and not repeated."""
    best, mean = agent.series("return_max"), agent.series("return")
    if best is None or mean is None or len(finite(best.values)) < POINTS or agent.learns is not False:
        return
    early, late = finite(best.part(0, 0.3)), finite(best.part(0.7, 1))
    usual, spread = finite(mean.values), max(finite(mean.values)) - min(finite(mean.values))
    if early and late and median(late) > max(early) + 3 * max(spread, 1e-6) and len(usual) >= POINTS:
        yield agent.told(
            f"The best episode rises from {median(early):.3g} to {median(late):.3g} while the mean stays "
            f"near {median(usual):.3g}: what pays is found, and not repeated.",
            "Look at the sign and the size of the advantages of those episodes: `sleuth rl probe`.",
            best.steps[int(0.7 * len(best.steps))],
            "open",
            best=median(late),
            mean=median(usual),
        )
