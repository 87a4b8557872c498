"""A path ends for three reasons; only a real end leaves nothing behind it."""

import numpy as np
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, size, actions):
        super().__init__()
        self.scores = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, actions))
        self.worth = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))

    def value(self, obs):
        return self.worth(obs).squeeze(-1)

    def step(self, obs):
        with torch.no_grad():
            policy = torch.distributions.Categorical(logits=self.scores(obs))
            action = policy.sample()
            return action.item(), self.value(obs).item(), policy.log_prob(action).item()


class Paths:
    def __init__(self, size, gamma, lam):
        self.rewards, self.values = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.returns = np.zeros(size, np.float32)
        self.gamma, self.lam = gamma, lam
        self.at, self.start = 0, 0

    def store(self, reward, value):
        self.rewards[self.at] = reward
        self.values[self.at] = value
        self.at += 1

    def finish(self, last=0.0):
        path = slice(self.start, self.at)
        rewards = np.append(self.rewards[path], last)
        values = np.append(self.values[path], last)
        deltas = rewards[:-1] + self.gamma * values[1:] - values[:-1]
        self.returns[path] = np.cumsum(deltas[::-1])[::-1]
        self.start = self.at


def collect(env, steps, longest=1000):
    agent = Agent(env.observation_space.shape[0], env.action_space.n)
    paths = Paths(steps, 0.99, 0.95)
    obs, _ = env.reset(seed=0)
    length = 0
    for t in range(steps):
        action, value, _ = agent.step(torch.as_tensor(obs, dtype=torch.float32))
        following, reward, terminated, truncated, _ = env.step(action)
        length += 1
        paths.store(reward, value)
        obs = following
        timeout = truncated or length == longest
        if terminated or timeout or t == steps - 1:
            last = 0.0 if terminated else agent.step(torch.as_tensor(obs, dtype=torch.float32))[1]
            paths.finish(last)
            if terminated or timeout:
                obs, _ = env.reset()
                length = 0
    return paths
