import gymnasium as gym
import torch
from torch import nn

env = gym.make("LunarLander-v3")
critic = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
gamma = 0.99
for episode in range(300):
    obs, _ = env.reset(seed=episode)
    seen, rewards, over = [], [], False
    while not over:
        seen.append(torch.as_tensor(obs))
        obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rewards.append(reward)
        over = terminated or truncated
    ahead = 0.0
    if truncated and not terminated:
        with torch.no_grad():
            ahead = critic(torch.as_tensor(obs)).item()
    returns = []
    for reward in reversed(rewards):
        ahead = reward + gamma * ahead
        returns.append(ahead)
    target = torch.tensor(returns[::-1])
    loss = nn.functional.mse_loss(critic(torch.stack(seen)).squeeze(-1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
