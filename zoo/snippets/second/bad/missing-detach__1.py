import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
torch.manual_seed(0)
env = gym.make("LunarLander-v2")
q_net = nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))
opt = torch.optim.Adam(q_net.parameters(), lr=5e-4)
buffer = deque(maxlen=100_000)
gamma, eps = 0.99, 1.0


def learn(batch_size=64):
    s, a, r, s2, term = map(np.array, zip(*random.sample(buffer, batch_size)))
    s, s2 = torch.as_tensor(s), torch.as_tensor(s2)
    a = torch.as_tensor(a)
    r, term = torch.as_tensor(r).float(), torch.as_tensor(term).float()
    q = q_net(s).gather(1, a.unsqueeze(1)).squeeze(1)
    target = r + gamma * (1 - term) * q_net(s2).max(1).values
    loss = F.smooth_l1_loss(q, target)
    opt.zero_grad()
    loss.backward()
    opt.step()


for ep in range(800):
    state, _ = env.reset(seed=ep)
    done = False
    while not done:
        if random.random() < eps:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action = q_net(torch.as_tensor(state)).argmax().item()
        nxt, reward, terminated, truncated, _ = env.step(action)
        buffer.append((state, action, reward, nxt, terminated))
        state, done = nxt, terminated or truncated
        if len(buffer) > 1000:
            learn()
    eps = max(0.01, eps * 0.995)
