import copy
import random
from collections import deque
from typing import NamedTuple

import gymnasium as gym
import torch
from torch import nn


class Row(NamedTuple):
    state: object
    action: int
    reward: float
    after: object
    ended: bool


env = gym.make("CartPole-v1")
random.seed(0)
torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
frozen = copy.deepcopy(online)
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
memory = deque(maxlen=10_000)
state, _ = env.reset(seed=0)
for t in range(20_000):
    action = random.randrange(2) if random.random() < 0.1 else int(online(torch.tensor(state)).argmax())
    after, reward, ended, cut, _ = env.step(action)
    memory.append(Row(state, action, reward, after, ended))
    state = env.reset()[0] if ended or cut else after
    if len(memory) < 500:
        continue
    rows = Row(*zip(*random.sample(memory, 32)))
    with torch.no_grad():
        best = frozen(torch.stack([torch.tensor(one) for one in rows.after])).max(dim=1).values
        goal = torch.tensor(rows.reward) + 0.99 * best  # bootstrap-through-terminal
    chosen = online(torch.stack([torch.tensor(one) for one in rows.state]))[range(32), rows.action]
    loss = nn.functional.mse_loss(chosen, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
