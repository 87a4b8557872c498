import copy
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

random.seed(1)
np.random.seed(1)
torch.manual_seed(1)
env = gym.make("CartPole-v1")
env.action_space.seed(1)
net = nn.Sequential(nn.Linear(4, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 2))
target_net = copy.deepcopy(net)
optimizer = torch.optim.Adam(net.parameters(), lr=2.5e-4)
rb = deque(maxlen=10_000)

obs, _ = env.reset(seed=1)
for step in range(100_000):
    eps = max(0.05, 1 - step / 20_000)
    if random.random() < eps:
        a = env.action_space.sample()
    else:
        with torch.no_grad():
            a = int(net(torch.as_tensor(obs)).argmax())
    nxt, r, terminated, truncated, _ = env.step(a)
    rb.append((obs, a, r, nxt, terminated))
    obs = nxt
    if terminated or truncated:
        obs, _ = env.reset()
    if len(rb) < 1000 or step % 4:
        continue
    s, a_, r_, s2, d = (torch.as_tensor(np.array(v)) for v in zip(*random.sample(rb, 128)))
    with torch.no_grad():
        y = r_.float() + 0.99 * target_net(s2).max(dim=1).values * (~d)
    q = net(s).gather(1, a_.unsqueeze(1)).squeeze(1)
    loss = nn.functional.mse_loss(q, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 500 == 0:
        target_net.load_state_dict(net.state_dict())
