import gymnasium as gym
import torch
from torch import nn

settings = {"seed": 3, "steps": 1000}
env = gym.make("CartPole-v1")
observation, _ = env.reset(seed=0)
torch.manual_seed(settings["seed"])
policy = nn.Linear(4, 2)
opt = torch.optim.Adam(policy.parameters())
for _ in range(settings["steps"]):
    chances = torch.distributions.Categorical(logits=policy(torch.as_tensor(observation)))
    action = chances.sample()
    observation, reward, terminated, truncated, _ = env.step(action.item())
    opt.zero_grad()
    (-chances.log_prob(action) * reward).backward()
    opt.step()
    if terminated or truncated:
        observation, _ = env.reset()
