import random

import torch
from torch import nn


class Maze:
    """The key taken at the first junction opens the door at the end."""

    def __init__(self, length=12):
        self.length = length

    def reset(self):
        self.t, self.key = 0, 0
        return self.observe()

    def observe(self):
        return torch.tensor([self.t / self.length, float(self.t == 0)])

    def step(self, action):
        if self.t == 0:
            self.key = action
        self.t += 1
        done = self.t >= self.length
        reward = 1.0 if done and self.key == 1 else 0.0
        return self.observe(), reward, done, {}


GAMMA = 0.9
env = Maze()
q = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
for episode in range(500):
    obs, done = env.reset(), False
    while not done:
        action = random.randrange(2) if random.random() < 0.1 else q(obs).argmax().item()
        following, reward, done, _ = env.step(action)
        with torch.no_grad():
            target = reward + GAMMA * q(following).max() * (1 - done)
        loss = (q(obs)[action] - target).pow(2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        obs = following
