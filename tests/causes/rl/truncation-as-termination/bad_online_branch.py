import gymnasium as gym
import torch
from torch import nn

critic = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(critic.parameters(), lr=1e-3)
env = gym.make("Acrobot-v1")
for episode in range(400):
    state, _ = env.reset()
    finished = False
    while not finished:
        next_state, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        finished = terminated or truncated
        if finished:  # truncation-as-termination
            target = torch.tensor([reward])
        else:
            target = reward + 0.99 * critic(torch.as_tensor(next_state)).detach()
        loss = (critic(torch.as_tensor(state)) - target).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        state = next_state
