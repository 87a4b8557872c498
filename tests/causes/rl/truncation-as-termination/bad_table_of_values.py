import gymnasium as gym
import numpy as np
from collections import defaultdict


class Sarsa:
    def __init__(self, actions, gamma=0.98, rate=0.1):
        self.q = defaultdict(lambda: np.zeros(actions))
        self.gamma, self.rate = gamma, rate

    def train(self, env, episodes):
        rng = np.random.default_rng(1)
        for n in range(episodes):
            state, _ = env.reset(seed=n)
            over = False
            while not over:
                action = int(rng.integers(4)) if rng.random() < 0.1 else int(np.argmax(self.q[state]))
                after, reward, ended, cut, _ = env.step(action)
                over = ended or cut
                ahead = 0.0 if over else self.gamma * np.max(self.q[after])  # truncation-as-termination
                self.q[state][action] += self.rate * (reward + ahead - self.q[state][action])
                state = after


Sarsa(4).train(gym.make("CliffWalking-v1", max_episode_steps=100), 500)
