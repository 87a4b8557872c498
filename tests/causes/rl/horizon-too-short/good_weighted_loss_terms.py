import gymnasium as gym
import torch
from torch import nn

env = gym.make("MountainCar-v0")
policy, critic = nn.Linear(2, 3), nn.Linear(2, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-3)
gamma = 0.995
for episode in range(500):
    obs, _ = env.reset()
    logps, values, rewards, over = [], [], [], False
    while not over:
        state = torch.as_tensor(obs)
        choice = torch.distributions.Categorical(logits=policy(state))
        action = choice.sample()
        obs, reward, terminated, truncated, _ = env.step(action.item())
        logps.append(choice.log_prob(action))
        values.append(critic(state).squeeze())
        rewards.append(reward)
        over = terminated or truncated
    ahead, returns = 0.0, []
    if truncated:
        with torch.no_grad():
            ahead = critic(torch.as_tensor(obs)).item()
    for reward in reversed(rewards):
        ahead = reward + gamma * ahead
        returns.insert(0, ahead)
    returns, values = torch.tensor(returns), torch.stack(values)
    policy_loss = -(torch.stack(logps) * (returns - values).detach()).mean()
    value_loss = (returns - values).pow(2).mean()
    loss = policy_loss + 0.5 * value_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
