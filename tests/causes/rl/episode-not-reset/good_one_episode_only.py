import gymnasium as gym
import torch

env = gym.make("LunarLander-v3")
critic = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=1e-3)
obs, _ = env.reset(seed=5)
for t in range(1000):
    following, reward, terminated, truncated, _ = env.step(env.action_space.sample())
    with torch.no_grad():
        target = reward + 0.99 * critic(torch.as_tensor(following)) * (not terminated)
    loss = (critic(torch.as_tensor(obs)) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    obs = following
    if terminated or truncated:
        break
