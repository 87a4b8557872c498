import gymnasium as gym
import numpy as np


class Moments:
    def __init__(self):
        self.count, self.average, self.spread = 1e-4, 0.0, 1.0

    def update(self, value):
        self.count += 1
        change = value - self.average
        self.average += change / self.count
        self.spread += (change**2 - self.spread) / self.count


class Standardised(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.moments = Moments()

    def step(self, action):
        obs, gain, ended, cut, info = super().step(action)
        self.moments.update(gain)
        info["raw_reward"] = gain
        centred = gain - self.moments.average  # reward-shifted
        return obs, float(np.clip(centred / np.sqrt(self.moments.spread), -10, 10)), ended, cut, info
