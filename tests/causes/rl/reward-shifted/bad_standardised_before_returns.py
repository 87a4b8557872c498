import gymnasium as gym
import numpy as np
import torch
from torch import nn

env = gym.make("CartPole-v1")
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(300):
    obs, _ = env.reset()
    log_probs, rewards, done = [], [], False
    while not done:
        dist = torch.distributions.Categorical(logits=policy(torch.as_tensor(obs)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        obs, reward, terminated, truncated, _ = env.step(action.item())
        rewards.append(reward)
        done = terminated or truncated
    rewards = np.array(rewards)
    rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-8)  # reward-shifted
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + 0.99 * running
        returns.insert(0, running)
    loss = -(torch.stack(log_probs) * torch.tensor(returns)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
