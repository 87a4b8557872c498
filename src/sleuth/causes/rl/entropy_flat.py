"""The policy stays nearly random from beginning to end.

## What happens
Entropy remains at its maximum, ln(number of actions): 0.693 for two, 1.386 for four. Nothing
pushes the policy, or something holds it. The return is that of a random agent, and the losses are
small and stable, which makes it look tame rather than broken.

No push: gradients do not reach the actor (not in the optimizer, detached), advantages are zero or
NaN-masked, log-probabilities and advantages are paired wrongly so that they average out, rewards
too small or never found, the KL stop triggers at the first minibatch. Held: the entropy bonus is
larger than the advantages (0.01 against returns of 0.001), a temperature that is too high,
actions replaced at random by an epsilon that never decays, a target entropy of the wrong sign in
SAC. For Gaussian policies: the deviation is a constant, or it *grows*.

## How to tell
- **watch**: entropy over its maximum above 0.95 after a tenth of the planned steps, and the
  policy's weights hardly moving or its gradient near zero; KL between updates about 0; clip
  fraction 0. Epsilon or deviation in the log do not fall.
- **probe**: the best action is known in every state, and what is done there is still a coin's toss.
- **refuted by**: relative entropy has fallen visibly, or the return beats a random agent's
  clearly.

## How to fix
Check the push before you turn the knobs: the two-action probe environment must be solved in a few
hundred steps. Then compare the two gradients.
```python
g_pg = torch.autograd.grad(policy_loss, actor.parameters(), retain_graph=True)
g_ent = torch.autograd.grad(-ent_coef * entropy, actor.parameters(), retain_graph=True)
print(sum(g.norm() for g in g_pg), sum(g.norm() for g in g_ent))
```
If the bonus wins, lower it or scale the reward up. If both are tiny the signal is missing.
Patience is right in sparse tasks: a policy *should* stay random until the first reward.

## Often mistaken for
- `policy-update-broken`: fails in the two-action world; this one may pass it and be held back in
  the task.
- `reward-constant`: no signal to follow in the first place.
- `lr-too-low`: KL and weight changes are small and in the right direction; ten times the rate
  moves it.

## Sources
- jones-2021: the list of statistics, relative entropy staying near one.
- schulman-2017: the part on policy-gradient diagnostics, entropy that does not come down.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, pstdev

from sleuth.finding import Evidence
from sleuth.rl.climbed import Climb, Sign
from sleuth.rl.course import FLAT, POINTS, LoggedAgent
from sleuth.rl.evidence_of_agents import by_first_break
from sleuth.rl.logs import Series

SIGNS: Mapping[Sign, str] = {
    "random to the end": "the best action is known, but what is done, and what values are learnt of, is "
    "random to the end (unless exploration is meant to fall after more steps than these)"
}
NOTHING = 0.05  # nats: a policy that is certain from the first update on is another matter
GREW = 5.0  # times its start, of a deviation


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    yield from by_first_break(climb, SIGNS)


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("entropy", POINTS)
    most = agent.largest_entropy(series) if series is not None else 0.0
    if series is not None and most > NOTHING:
        share = [value / most for value in series.values]
        yield from _never_left(agent, series, share, most)
        yield from _random_among_some(agent, series, share, most)
    yield from _explores(agent)
    yield from _deviates(agent)


def _never_left(
    agent: LoggedAgent, series: Series, share: Sequence[float], most: float
) -> Iterator[Evidence]:
    late = share[len(share) // 10 :]
    if min(late) > FLAT and agent.learns is not True:
        yield agent.told(
            f"Entropy never left its maximum (lowest {min(late):.0%}): the policy is still random.",
            "Check that a gradient reaches the actor and that the bonus is smaller than the advantages.",
            series.steps[len(share) // 10],
            lowest=min(late) * most,
            largest=most,
        )


def _random_among_some(
    agent: LoggedAgent, series: Series, share: Sequence[float], most: float
) -> Iterator[Evidence]:
    """Constant in between: random among some of the actions."""
    late = share[len(share) // 2 :]
    if len(late) >= POINTS and 0.2 < fmean(late) < 0.9 and pstdev(late) < 0.01 and agent.learns is False:
        yield agent.told(
            f"Entropy stays at {fmean(late) * most:.2f}, as if {math.exp(fmean(late) * most):.1f} actions "
            "were drawn at random and the others never.",
            "Look at the frequency of each action.",
            series.steps[len(share) // 2],
            entropy=fmean(late) * most,
        )


def _explores(agent: LoggedAgent) -> Iterator[Evidence]:
    rate = agent.series("exploration", POINTS)
    if rate is not None and min(rate.values) > 0.5 and agent.learns is not True:
        yield agent.told(
            f"Epsilon never falls below {min(rate.values):.2f}: most actions stay random.",
            "Let it fall within the first tenth of the run.",
            rate.steps[0],
            epsilon=min(rate.values),
        )


def _deviates(agent: LoggedAgent) -> Iterator[Evidence]:
    spread = agent.series("std", POINTS)
    if spread is None or spread.values[0] <= 0:
        return
    times = [value / spread.values[0] for value in spread.values]
    if times[-1] > GREW and agent.learns is not True:
        yield agent.told(
            f"The policy's deviation grew to {times[-1]:.1f} times its start: the bonus outweighs the "
            "advantages.",
            "Lower the entropy coefficient or scale rewards up.",
            spread.steps[next(place for place, value in enumerate(times) if value > 2)],
            std=spread.values[-1],
        )
