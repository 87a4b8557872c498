import random
from collections import deque

import gymnasium as gym
import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
env = gym.make("CartPole-v1")
net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
replay = deque(maxlen=5000)
state, _ = env.reset(seed=0)
for t in range(20_000):
    action = env.action_space.sample()
    new, reward, terminated, truncated, _ = env.step(action)
    replay.append((state, action, reward, new, float(terminated)))
    state = env.reset()[0] if terminated or truncated else new
    if len(replay) < 200:
        continue
    s, a, r, s2, end = [torch.tensor(column).float() for column in zip(*random.sample(replay, 32))]
    taken = net(s).gather(1, a.long().unsqueeze(1))
    with torch.no_grad():
        goal = r + 0.99 * (1 - end) * net(s2).amax(1)
    loss = (taken - goal).pow(2).mean()  # loss-broadcast
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
