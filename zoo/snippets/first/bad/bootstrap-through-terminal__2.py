import numpy as np


class RolloutBuffer:
    def __init__(self, size, obs_dim, gamma=0.99, lam=0.95):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.act = np.zeros(size, np.int64)
        self.rew = np.zeros(size, np.float32)
        self.val = np.zeros(size, np.float32)
        self.terminated = np.zeros(size, np.float32)
        self.gamma, self.lam, self.size, self.ptr = gamma, lam, size, 0

    def add(self, obs, act, rew, val, terminated):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.val[i], self.terminated[i] = obs, act, rew, val, terminated
        self.ptr += 1

    def finish(self, last_value):
        """Generalised advantage estimates for a rollout that may hold several episodes."""
        adv = np.zeros(self.size, np.float32)
        gae, nxt = 0.0, last_value
        for t in reversed(range(self.size)):
            delta = self.rew[t] + self.gamma * nxt - self.val[t]
            gae = delta + self.gamma * self.lam * gae
            adv[t] = gae
            nxt = self.val[t]
        self.ptr = 0
        return adv, adv + self.val
