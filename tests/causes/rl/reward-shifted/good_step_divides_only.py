import gymnasium as gym
import numpy as np


class Scaled(gym.Wrapper):
    """Keeps the mean for the log and divides by the spread of the returns."""

    def __init__(self, env, gamma=0.99):
        super().__init__(env)
        self.gamma, self.total, self.count = gamma, 0.0, 0
        self.mean, self.squares = 0.0, 0.0

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.total = self.total * self.gamma + reward
        self.count += 1
        change = self.total - self.mean
        self.mean += change / self.count
        self.squares += change * (self.total - self.mean)
        info["surprise"] = reward - self.mean
        spread = np.sqrt(self.squares / max(self.count - 1, 1)) + 1e-8
        if terminated or truncated:
            self.total = 0.0
        return obs, reward / spread, terminated, truncated, info


class StepCost(gym.Wrapper):
    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward - 0.01, terminated, truncated, info
