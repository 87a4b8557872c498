import numpy as np


class Paths:
    """Spinning-up style: one path at a time is closed, so no end lies inside a sum."""

    def __init__(self, size, gamma=0.99, lam=0.95):
        self.rew, self.val = np.zeros(size), np.zeros(size + 1)
        self.done = np.zeros(size, dtype=bool)
        self.adv = np.zeros(size)
        self.gamma, self.lam, self.at, self.path_start = gamma, lam, 0, 0

    def store(self, reward, value, done):
        self.rew[self.at], self.val[self.at], self.done[self.at] = reward, value, done
        self.at += 1

    def finish_path(self, last):
        self.val[self.at] = last
        running = 0.0
        for t in reversed(range(self.path_start, self.at)):
            delta = self.rew[t] + self.gamma * self.val[t + 1] - self.val[t]
            running = delta + self.gamma * self.lam * running
            self.adv[t] = running
        self.path_start = self.at


class Whole:
    def __init__(self, size, gamma=0.99):
        self.rewards, self.dones, self.gamma = np.zeros(size), np.zeros(size), gamma

    def put(self, i, reward, done):
        self.rewards[i], self.dones[i] = reward, done

    def returns(self):
        running, out = 0.0, np.zeros_like(self.rewards)
        for t in reversed(range(len(self.rewards))):
            running = self.rewards[t] + self.gamma * running * (1 - self.dones[t])
            out[t] = running
        return out


class Momentum:
    def __init__(self, size, rate=0.1):
        self.velocity, self.rate, self.done = np.zeros(size), rate, np.zeros(size)

    def run(self, gradients):
        speed = 0.0
        for gradient in gradients:
            speed = gradient + 0.9 * speed
        return speed
