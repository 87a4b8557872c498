import random

import torch
import torch.nn as N
from torch.optim import AdamW as Opt


class Corridor:
    """Walk right to the door."""

    def __init__(self, length):
        self.length = length
        self.place = 0

    def reset(self):
        self.place = 0
        return torch.tensor([0.0])

    def step(self, action):
        self.place = max(0, self.place + (1 if action else -1))
        done = self.place >= self.length
        return torch.tensor([self.place / self.length]), float(done), done


def train(steps=5000):
    env = Corridor(8)
    q = N.Sequential(N.Linear(1, 16), N.ReLU(), N.Linear(16, 2))
    opt = Opt(q.parameters(), lr=1e-3)
    obs = env.reset()
    for _ in range(steps):
        action = random.randrange(2) if random.random() < 0.2 else q(obs).argmax().item()
        new, reward, done = env.step(action)
        with torch.no_grad():
            target = reward + 0.95 * q(new).max() * (1 - done)
        loss = (q(obs)[action] - target) ** 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        obs = new  # episode-not-reset


train()
