import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
env = gym.make("Acrobot-v1")
policy = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 3))
value = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=3e-3)
gamma = 0.99

for ep in range(600):
    obs, _ = env.reset(seed=ep)
    states, logps, rewards = [], [], []
    done = False
    while not done:
        s = torch.as_tensor(obs, dtype=torch.float32)
        dist = Categorical(logits=policy(s))
        a = dist.sample()
        obs, r, terminated, truncated, _ = env.step(a.item())
        states.append(s)
        logps.append(dist.log_prob(a))
        rewards.append(r)
        done = terminated or truncated

    g = 0.0
    if truncated and not terminated:
        with torch.no_grad():
            g = value(torch.as_tensor(obs, dtype=torch.float32)).item()
    returns = []
    for r in reversed(rewards):
        g = r + gamma * g
        returns.append(g)
    returns = torch.tensor(returns[::-1])
    v = value(torch.stack(states)).squeeze(-1)
    adv = (returns - v).detach()
    pg = -(torch.stack(logps) * adv).mean()
    vf = nn.functional.mse_loss(v, returns)
    opt.zero_grad()
    (pg + 0.5 * vf).backward()
    opt.step()
