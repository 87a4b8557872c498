import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Corridor:
    """Walk to the lit end of a corridor of 7 cells; which end is lit is shown only in the observation."""

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.pos, self.t = 3, 0
        self.goal = int(self.rng.integers(2)) * 6
        return self._obs()

    def _obs(self):
        o = np.zeros(9, dtype=np.float32)
        o[self.pos] = 1.0
        o[7 + (self.goal == 6)] = 1.0
        return o

    def step(self, action):
        self.pos = int(np.clip(self.pos + (1 if action else -1), 0, 6))
        self.t += 1
        reached = self.pos == self.goal
        reward = 1.0 if reached else -0.05
        return self._obs(), reward, reached or self.pos == 6 - self.goal


def play(env, policy, greedy=False):
    obs, done = env.reset(), False
    seen, acts, rewards = [], [], []
    while not done:
        with torch.no_grad():
            logits = policy(torch.from_numpy(obs))
        a = int(logits.argmax()) if greedy else int(Categorical(logits=logits).sample())
        seen.append(obs)
        acts.append(a)
        obs, r, done = env.step(a)
        rewards.append(r)
        if greedy and len(rewards) >= 50:  # a greedy policy may pace for ever
            break
    return seen, acts, rewards


def to_go(rewards, gamma):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        out.append(g)
    return out[::-1]


torch.manual_seed(4)
env = Corridor(np.random.default_rng(4))
policy = nn.Sequential(nn.Linear(9, 32), nn.Tanh(), nn.Linear(32, 2))
value = nn.Sequential(nn.Linear(9, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=5e-3)

for update in range(60):
    obs, acts, rets, totals = [], [], [], []
    for _ in range(16):
        s, a, r = play(env, policy)
        obs += s
        acts += a
        rets += to_go(r, 0.97)
        totals.append(sum(r))
    obs, acts, rets = torch.tensor(np.array(obs)), torch.tensor(acts), torch.tensor(rets)
    v = value(obs).squeeze(-1)
    adv = (rets - v).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    dist = Categorical(logits=policy(obs))
    loss = -(dist.log_prob(acts) * adv).mean() + 0.5 * (rets - v).pow(2).mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if update % 10 == 9:
        print(f"update {update + 1:3d} loss {loss.item():+.3f} mean return {np.mean(totals):+.3f}")

test_env = Corridor(np.random.default_rng(999))
final = [sum(play(test_env, policy, greedy=True)[2]) for _ in range(200)]
print(f"greedy return over 200 fresh episodes {np.mean(final):.3f} (best possible 0.900)")
