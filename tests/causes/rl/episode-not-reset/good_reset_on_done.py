import random
from collections import deque

import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F

env = gym.make("CartPole-v1")
q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
target_q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
memory = deque(maxlen=10_000)
gamma = 0.99

state, _ = env.reset(seed=0)
for t in range(20_000):
    action = env.action_space.sample() if random.random() < 0.1 else q(torch.tensor(state)).argmax().item()
    next_state, reward, terminated, truncated, _ = env.step(action)
    memory.append((state, action, reward, next_state, terminated))
    state = next_state
    if terminated or truncated:
        state, _ = env.reset()
    if len(memory) < 500:
        continue
    states, actions, rewards, next_states, ends = zip(*random.sample(memory, 64))
    with torch.no_grad():
        best = target_q(torch.tensor(next_states)).max(dim=1).values
        goes_on = 1.0 - torch.tensor(ends, dtype=torch.float32)
        target = torch.tensor(rewards) + gamma * best * goes_on
    predicted = q(torch.tensor(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(predicted, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if t % 500 == 0:
        target_q.load_state_dict(q.state_dict())
