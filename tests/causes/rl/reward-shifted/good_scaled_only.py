import gymnasium as gym
import numpy as np
import torch


class ScaledReward(gym.RewardWrapper):
    def __init__(self, env, gamma=0.99):
        super().__init__(env)
        self.gamma, self.running, self.square, self.count = gamma, 0.0, 1.0, 1

    def reward(self, reward):
        self.running = reward + self.gamma * self.running
        self.count += 1
        self.square += (self.running**2 - self.square) / self.count
        return reward / (np.sqrt(self.square) + 1e-8)


def discounted(rewards, gamma):
    rewards = torch.as_tensor(rewards) / 100.0
    out, running = torch.zeros(len(rewards)), 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return (out - out.mean()) / (out.std() + 1e-8)
