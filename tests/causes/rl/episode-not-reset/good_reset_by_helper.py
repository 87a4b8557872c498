import gymnasium as gym
import torch
from torch import nn


class Runner:
    def __init__(self):
        self.env = gym.wrappers.RecordEpisodeStatistics(gym.make("Acrobot-v1"))
        self.net = nn.Linear(6, 3)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self._begin()

    def _begin(self):
        self.obs, _ = self.env.reset()
        self.score = 0.0

    def advance(self):
        dist = torch.distributions.Categorical(logits=self.net(torch.as_tensor(self.obs)))
        action = dist.sample()
        self.obs, reward, terminated, truncated, _ = self.env.step(action.item())
        self.score += reward
        if terminated or truncated:
            self._begin()
        return dist.log_prob(action), reward

    def train(self, steps):
        for _ in range(steps):
            log_prob, reward = self.advance()
            loss = -log_prob * reward
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


Runner().train(10_000)
