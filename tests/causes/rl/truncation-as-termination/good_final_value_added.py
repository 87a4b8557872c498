import gymnasium as gym
import torch
from torch import nn

policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-3)
env = gym.make("Acrobot-v1")
obs, _ = env.reset()
for update in range(400):
    rows = []
    for _ in range(256):
        dist = torch.distributions.Categorical(logits=policy(torch.as_tensor(obs)))
        action = dist.sample()
        following, reward, terminated, truncated, _ = env.step(action.item())
        done = terminated or truncated
        if truncated:
            with torch.no_grad():
                reward = reward + 0.99 * critic(torch.as_tensor(following)).item()
        rows.append((dist.log_prob(action), critic(torch.as_tensor(obs)), reward, done))
        obs = env.reset()[0] if done else following
    running, loss = 0.0, 0.0
    for log_prob, value, reward, done in reversed(rows):
        running = reward + 0.99 * running * (1 - done)
        loss = loss - log_prob * (running - value.detach()) + (value - running).pow(2)
    opt.zero_grad()
    (loss / len(rows)).mean().backward()
    opt.step()
