import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

random.seed(0)
torch.manual_seed(0)
env = gym.make("CartPole-v1")
net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
replay, columns = deque(maxlen=5000), deque(maxlen=5000)
state, _ = env.reset(seed=0)
for t in range(20_000):
    action = env.action_space.sample()
    new, reward, terminated, truncated, _ = env.step(action)
    replay.append((state, action, reward, new, float(terminated)))
    columns.append((state, [action], [reward], new, [float(terminated)]))
    state = env.reset()[0] if terminated or truncated else new
    if len(replay) < 200:
        continue
    s, a, r, s2, end = map(np.array, zip(*random.sample(replay, 32)))
    s, s2, r, end = (torch.as_tensor(part, dtype=torch.float32) for part in (s, s2, r, end))
    taken = net(s).gather(1, torch.as_tensor(a).unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        goal = r + 0.99 * (1 - end) * net(s2).max(1).values
    loss = F.mse_loss(taken, goal)
    s, a, r, s2, end = [torch.tensor(np.array(c)).float() for c in zip(*random.sample(columns, 32))]
    with torch.no_grad():
        goal = r + 0.99 * (1 - end) * net(s2).max(1, keepdim=True).values
    loss = loss + F.mse_loss(net(s).gather(1, a.long()), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
