import gymnasium as gym
import numpy as np


class ScaleReward(gym.Wrapper):
    """Divides by the running spread of the discounted return; the sign and the zero stay where they are."""

    def __init__(self, env, gamma=0.99, eps=1e-8):
        super().__init__(env)
        self.gamma, self.eps = gamma, eps
        self.ret, self.n, self.mean, self.m2 = 0.0, 0, 0.0, 0.0

    def reset(self, **kwargs):
        self.ret = 0.0
        return self.env.reset(**kwargs)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.ret = self.gamma * self.ret + reward
        self.n += 1
        d = self.ret - self.mean
        self.mean += d / self.n
        self.m2 += d * (self.ret - self.mean)
        std = np.sqrt(self.m2 / self.n) if self.n > 1 else 1.0
        return obs, float(np.clip(reward / (std + self.eps), -10, 10)), terminated, truncated, info
