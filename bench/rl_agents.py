"""Small agents of our own for measuring the probes: linear actor-critic and Q learner, right or broken.

Each takes the name of one mistake. They are written the way people write them, not the way the probes think.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

ON_POLICY = (
    "bootstrap-terminal",
    "done-ignored",
    "gae-leak",
    "done-late",
    "advantage-sign",
    "obs-zero",
    "reward-late",
    "action-late",
    "obs-next",
    "axes-mixed",
    "gamma-0",
    "gamma-0.9",
    "truncation-ends",
    "last-value-zero",
    "value-loss-off",
    "reward-negated",
)
OFF_POLICY = (
    "bootstrap-terminal",
    "obs-zero",
    "reward-late",
    "reward-negated",
    "gamma-0",
    "gamma-0.9",
    "truncation-ends",
    "truncation-resets",
    "next-is-same",
    "target-frozen",
    "action-late",
)
# Injected mistake → the causes of the catalog whose pages describe it.
EXPECTED = {
    "bootstrap-terminal": ("bootstrap-through-terminal",),
    "done-ignored": ("bootstrap-through-terminal",),
    "gae-leak": ("bootstrap-through-terminal",),
    "done-late": ("buffer-misaligned",),
    "advantage-sign": ("policy-update-broken",),
    "obs-zero": ("obs-ignored",),
    "reward-late": ("buffer-misaligned",),
    "action-late": ("buffer-misaligned",),
    "obs-next": ("buffer-misaligned", "obs-ignored"),
    "axes-mixed": ("obs-ignored", "policy-obs-coupling-broken", "buffer-misaligned"),
    "gamma-0": ("discount-broken",),
    "gamma-0.9": ("discount-broken",),
    "truncation-ends": ("truncation-as-termination",),
    "truncation-resets": ("truncation-as-termination",),
    "last-value-zero": ("discount-broken",),
    "value-loss-off": ("value-not-learning",),
    "reward-negated": ("value-not-learning",),
    "next-is-same": ("discount-broken",),
    "target-frozen": ("discount-broken",),
}


class Linear:
    """`value`, `q` or `policy` as linear functions of the observation and a constant."""

    def __init__(self, **weights: Any) -> None:
        self.weights = weights
        if "v" in weights:
            self.value = lambda obs: float(features(obs) @ weights["v"])
        if "p" in weights:
            self.policy = lambda obs: softmax(features(obs) @ weights["p"])
        if "q" in weights:
            self.q = lambda obs: features(obs) @ weights["q"]


def features(obs: Any) -> Any:
    return np.append(np.asarray(obs, np.float64).reshape(-1), 1.0)


def softmax(logits: Any) -> Any:
    raised = np.exp(logits - logits.max())
    return raised / raised.sum()


def actor_critic(bug: str = "", copies: int = 4, length: int = 16, rate: float = 0.1) -> Callable[..., Any]:
    """Advantage actor-critic with GAE over parallel copies."""

    def learn(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        rng = np.random.default_rng(seed)
        envs = [make_env() for _ in range(copies)]
        obs = [env.reset(seed=seed + i)[0] for i, env in enumerate(envs)]
        size = len(features(obs[0]))
        v, p = np.zeros(size), np.zeros((size, 2))
        gamma = {"gamma-0": 0.0, "gamma-0.9": 0.9}.get(bug, gamma)
        for _ in range(max(1, steps // (copies * length))):
            rows = [_rollout(env, i, obs, length, v, p, rng, gamma, bug) for i, env in enumerate(envs)]
            x, a, adv, ret = (np.stack([row[k] for row in rows]) for k in range(4))
            if bug == "axes-mixed":
                adv, ret = (z.T.reshape(z.shape) for z in (adv, ret))
                a = a.T.reshape(a.shape)
            flat_x, flat_a = x.reshape(-1, size), a.reshape(-1)
            flat_adv, flat_ret = adv.reshape(-1), ret.reshape(-1)
            if bug == "advantage-sign":
                flat_adv = -flat_adv
            for row in rng.permutation(len(flat_a)):
                probs = softmax(flat_x[row] @ p)
                direction = -probs
                direction[flat_a[row]] += 1.0
                p += rate * flat_adv[row] * np.outer(flat_x[row], direction)
                if bug != "value-loss-off":
                    v += rate * (flat_ret[row] - flat_x[row] @ v) * flat_x[row]
        return Linear(v=v, p=p)

    return learn


def _rollout(
    env: Any, i: int, obs: list[Any], length: int, v: Any, p: Any, rng: Any, gamma: float, bug: str
) -> Any:
    xs, actions, rewards, after, dones = [], [], [], [], []
    for _ in range(length):
        x = features(np.asarray(obs[i]) * (0.0 if bug == "obs-zero" else 1.0))
        action = int(rng.random() < softmax(x @ p)[1])
        nxt, reward, terminated, truncated, _ = env.step(action)
        if truncated and bug != "truncation-ends":
            reward += gamma * float(features(nxt) @ v)
        done = terminated or truncated
        if done:
            nxt, _ = env.reset()
        xs.append(x if bug != "obs-next" else features(nxt))
        actions.append(action)
        rewards.append(-reward if bug == "reward-negated" else reward)
        after.append(float(features(nxt) @ v))
        dones.append(float(done))
        obs[i] = nxt
    if bug == "reward-late":
        rewards = [0.0, *rewards[:-1]]
    if bug == "action-late":
        actions = [actions[-1], *actions[:-1]]
    if bug == "done-late":
        dones = [0.0, *dones[:-1]]
    if bug == "last-value-zero":
        after[-1] = 0.0
    adv, last = np.zeros(length), 0.0
    values = [float(x @ v) for x in xs]
    for t in range(length - 1, -1, -1):
        on = 1.0 if bug in ("bootstrap-terminal", "done-ignored") else 1.0 - dones[t]
        carry = 1.0 if bug in ("gae-leak", "done-ignored") else 1.0 - dones[t]
        last = rewards[t] + gamma * after[t] * on - values[t] + gamma * 0.95 * carry * last
        adv[t] = last
    return np.stack(xs), np.array(actions), adv, adv + np.array(values)


def q_learner(bug: str = "", rate: float = 0.1, copy_every: int = 50) -> Callable[..., Any]:
    """Q learning with a replay buffer and a target table."""

    def learn(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        rng = np.random.default_rng(seed)
        env = make_env()
        obs, _ = env.reset(seed=seed)
        size = len(features(obs))
        q, target = np.zeros((size, 2)), np.zeros((size, 2))
        gamma = {"gamma-0": 0.0, "gamma-0.9": 0.9}.get(bug, gamma)
        rows: list[Any] = []
        held = (0.0, 0)
        for step in range(steps):
            x = features(np.asarray(obs) * (0.0 if bug == "obs-zero" else 1.0))
            action = int(rng.random() < 0.5) if rng.random() < 0.2 else int(np.argmax(x @ q))
            nxt, reward, terminated, truncated, _ = env.step(action)
            real = nxt
            if terminated or truncated:
                nxt, _ = env.reset()
            after = features(nxt if bug == "truncation-resets" else real)
            after = x if bug in ("next-is-same", "obs-zero") else after
            stop = terminated or (truncated and bug == "truncation-ends")
            stored_reward = (
                held[0] if bug == "reward-late" else -reward if bug == "reward-negated" else reward
            )
            stored_action = held[1] if bug == "action-late" else action
            rows.append((x, stored_action, stored_reward, after, stop and bug != "bootstrap-terminal"))
            held, obs = (reward, action), nxt
            for row in rng.integers(len(rows), size=4):
                s, a, r, s2, end = rows[row]
                goal = r + (0.0 if end else gamma * float((s2 @ target).max()))
                q[:, a] += rate * (goal - float(s @ q[:, a])) * s
            if step % copy_every == 0 and bug != "target-frozen":
                target = q.copy()
        return Linear(q=q)

    return learn
