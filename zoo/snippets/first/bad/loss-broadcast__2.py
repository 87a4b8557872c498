import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0); np.random.seed(0); torch.manual_seed(0)
env = gym.make("CartPole-v1")


def mlp():
    return nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))


q, q_target = mlp(), mlp()
q_target.load_state_dict(q.state_dict())
optimizer = torch.optim.Adam(q.parameters(), lr=5e-4)
memory, gamma, eps = deque(maxlen=50_000), 0.99, 1.0

obs, _ = env.reset(seed=0)
for t in range(100_000):
    eps = max(0.05, eps - 1e-5)
    if random.random() < eps:
        a = env.action_space.sample()
    else:
        with torch.no_grad():
            a = q(torch.as_tensor(obs)).argmax().item()
    nxt, r, term, trunc, _ = env.step(a)
    memory.append((obs, a, r, nxt, float(term)))
    obs = env.reset()[0] if term or trunc else nxt
    if len(memory) < 1000:
        continue
    s, a_, r_, s2, d = map(np.array, zip(*random.sample(memory, 64)))
    s, s2 = torch.as_tensor(s), torch.as_tensor(s2)
    r_, d = torch.as_tensor(r_, dtype=torch.float32), torch.as_tensor(d, dtype=torch.float32)
    q_sa = q(s).gather(1, torch.as_tensor(a_).unsqueeze(1))
    with torch.no_grad():
        y = r_ + gamma * (1 - d) * q_target(s2).max(1).values
    loss = F.smooth_l1_loss(q_sa, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if t % 500 == 0:
        q_target.load_state_dict(q.state_dict())
