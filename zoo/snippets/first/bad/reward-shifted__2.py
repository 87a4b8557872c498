import gymnasium as gym
import numpy as np


class NormalizeRewardWrapper(gym.Wrapper):
    """Keeps the reward on a unit scale for the value head."""

    def __init__(self, env, eps=1e-8):
        super().__init__(env)
        self.n, self.mean, self.m2, self.eps = 0, 0.0, 0.0, eps

    def _update(self, r):
        self.n += 1
        d = r - self.mean
        self.mean += d / self.n
        self.m2 += d * (r - self.mean)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self._update(reward)
        std = np.sqrt(self.m2 / max(self.n - 1, 1)) + self.eps
        reward = (reward - self.mean) / std
        return obs, reward, terminated, truncated, info


def make_env(env_id, seed):
    env = NormalizeRewardWrapper(gym.make(env_id))
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return env
