import gymnasium as gym
import numpy as np


class ScaleReward(gym.Wrapper):
    """Divide by the running spread of the discounted return; the mean stays untouched."""

    def __init__(self, env, gamma=0.99, eps=1e-8):
        super().__init__(env)
        self.gamma, self.eps = gamma, eps
        self.ret, self.n, self.mean, self.m2 = 0.0, 0, 0.0, 0.0

    def reset(self, **kw):
        self.ret = 0.0
        return self.env.reset(**kw)

    def step(self, action):
        obs, r, terminated, truncated, info = self.env.step(action)
        self.ret = self.ret * self.gamma + r
        self.n += 1
        d = self.ret - self.mean
        self.mean += d / self.n
        self.m2 += d * (self.ret - self.mean)
        std = np.sqrt(self.m2 / self.n) if self.n > 1 else 1.0
        return obs, r / (std + self.eps), terminated, truncated, info


def make_env(name, seed):
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(name))
    env = ScaleReward(env)
    env.action_space.seed(seed)
    return env
