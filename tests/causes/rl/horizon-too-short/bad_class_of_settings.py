from dataclasses import dataclass

import torch as T
import torch.nn as N


@dataclass
class Settings:
    gamma: float = 0.97  # horizon-too-short
    lr: float = 1e-3


class Patience:
    LIMIT = 400

    def __init__(self):
        self.clock = 0

    def reset(self):
        self.clock = 0
        return T.zeros(1), {}

    def step(self, action):
        self.clock += 1
        reward = 0.0
        terminated = self.clock == self.LIMIT
        if terminated:
            reward = 10.0
        return T.tensor([self.clock / self.LIMIT]), reward, terminated, False, {}


def learn(settings=Settings()):
    env, value = Patience(), N.Sequential(N.Linear(1, 32), N.ReLU(), N.Linear(32, 1))
    opt = T.optim.Adam(value.parameters(), lr=settings.lr)
    for _ in range(200):
        obs, _ = env.reset()
        over = False
        while not over:
            nxt, reward, over, _, _ = env.step(0)
            with T.no_grad():
                y = reward + settings.gamma * value(nxt) * (1.0 - over)
            loss = N.functional.mse_loss(value(obs), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            obs = nxt


learn()
