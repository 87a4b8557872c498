import gymnasium as gym
import torch
from torch import nn
from torch.distributions import Categorical

env = gym.make("CartPole-v1")
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

for episode in range(500):
    state, _ = env.reset()
    log_probs, rewards, done = [], [], False
    while not done:
        dist = Categorical(logits=policy(torch.as_tensor(state, dtype=torch.float32)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        state, reward, terminated, truncated, _ = env.step(action.item())
        done = terminated or truncated
        rewards.append(reward)
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + 0.99 * running
        returns.insert(0, running)
    returns = torch.tensor(returns)
    loss = (torch.stack(log_probs) * returns).sum()  # loss-sign-flipped
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
