import gymnasium as gym
import numpy as np
import torch


class RunningStat:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def push(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    @property
    def std(self):
        return (self.m2 / max(self.n - 1, 1)) ** 0.5


class NormalizeReward(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.stat = RunningStat()

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.stat.push(reward)
        reward = (reward - self.stat.mean) / (self.stat.std + 1e-8)
        return obs, reward, terminated, truncated, info


def make_env(seed):
    env = NormalizeReward(gym.make("Hopper-v4"))
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return env
