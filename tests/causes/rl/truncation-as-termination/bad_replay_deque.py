import random
from collections import deque

import gymnasium as gym
import torch
import torch.nn.functional as F
from torch import nn

env = gym.make("CartPole-v1")
online, frozen = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.Adam(online.parameters(), lr=1e-3)
replay = deque(maxlen=50_000)

obs, _ = env.reset()
for step in range(100_000):
    action = online(torch.as_tensor(obs)).argmax().item()
    new_obs, reward, terminated, truncated, _ = env.step(action)
    done = terminated or truncated
    replay.append((obs, action, reward, new_obs, done))  # truncation-as-termination
    obs = new_obs
    if done:
        obs, _ = env.reset()
    if len(replay) < 1000:
        continue
    o, a, r, o2, d = map(torch.tensor, zip(*random.sample(replay, 64)))
    with torch.no_grad():
        y = r + 0.99 * frozen(o2).max(1).values * (1 - d.float())
    loss = F.mse_loss(online(o).gather(1, a[:, None]).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
