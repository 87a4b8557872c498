"""A path ends for three reasons; only a real end leaves nothing behind it."""

import numpy as np
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, obs):
        return self.net(torch.as_tensor(obs, dtype=torch.float32)).squeeze(-1)


class Paths:
    def __init__(self, gamma, lam):
        self.gamma, self.lam, self.start = gamma, lam, 0
        self.rewards, self.values, self.returns = [], [], []

    def store(self, reward, value):
        self.rewards.append(reward)
        self.values.append(value)

    def finish(self, last=0.0):
        rewards = np.append(self.rewards[self.start :], last)
        values = np.append(self.values[self.start :], last)
        deltas = rewards[:-1] + self.gamma * values[1:] - values[:-1]
        running = 0.0
        for delta in deltas[::-1]:
            running = delta + self.gamma * self.lam * running
            self.returns.append(running)
        self.start = len(self.rewards)


def collect(env, policy, critic, paths, steps):
    obs, _ = env.reset(seed=0)
    for t in range(steps):
        value = critic(obs).item()
        obs_next, reward, terminated, truncated, _ = env.step(policy(obs))
        paths.store(reward, value)
        obs = obs_next
        full = t == steps - 1
        if terminated or truncated or full:
            last = 0.0 if terminated else critic(obs).item()
            paths.finish(last)
            if terminated or truncated:
                obs, _ = env.reset()
