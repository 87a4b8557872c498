import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
discount = 0.3  # horizon-too-short
env = gym.make("Acrobot-v1")
q = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
memory = deque(maxlen=20_000)
obs, _ = env.reset(seed=0)
for t in range(50_000):
    action = random.randrange(3) if random.random() < 0.1 else q(torch.as_tensor(obs)).argmax().item()
    new, reward, terminated, truncated, _ = env.step(action)
    memory.append((obs, action, reward, new, float(terminated)))
    obs = env.reset()[0] if terminated or truncated else new
    if len(memory) < 500:
        continue
    s, a, r, s2, d = (torch.as_tensor(np.array(c), dtype=torch.float32) for c in zip(*random.sample(memory, 64)))
    with torch.no_grad():
        target = r + discount * (1 - d) * q(s2).max(1).values
    loss = nn.functional.mse_loss(q(s).gather(1, a.long().unsqueeze(1)).squeeze(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
