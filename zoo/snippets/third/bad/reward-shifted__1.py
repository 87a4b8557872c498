import numpy as np
import gymnasium as gym


class NormalizeReward(gym.Wrapper):
    """Keep rewards centred."""

    def __init__(self, env):
        super().__init__(env)
        self.mean, self.var, self.n = 0.0, 1.0, 1e-4

    def step(self, action):
        obs, r, terminated, truncated, info = self.env.step(action)
        self.n += 1
        delta = r - self.mean
        self.mean += delta / self.n
        self.var += (delta * (r - self.mean) - self.var) / self.n
        r = (r - self.mean) / np.sqrt(self.var + 1e-8)
        return obs, r, terminated, truncated, info
