import gymnasium as gym
import torch
from torch import nn

torch.manual_seed(0)
GAMMA, LAMBDA, LENGTH = 0.99, 0.95, 128
env = gym.make("CartPole-v1")
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)
seen, _ = env.reset(seed=0)
for _ in range(20):
    views, nexts, chosen = [], [], []
    dead, over = torch.zeros(LENGTH), torch.zeros(LENGTH)
    for t in range(LENGTH):
        view = torch.tensor(seen)
        with torch.no_grad():
            action = torch.distributions.Categorical(logits=actor(view)).sample()
        after, _, terminated, truncated, _ = env.step(int(action))
        views.append(view), nexts.append(torch.tensor(after)), chosen.append(action)
        dead[t], over[t] = float(terminated), float(terminated or truncated)
        seen = env.reset()[0] if terminated or truncated else after
    states = torch.stack(views)
    with torch.no_grad():
        values, later = critic(states).squeeze(1), critic(torch.stack(nexts)).squeeze(1)
    delta = 0.1 + GAMMA * (1 - dead) * later - values
    gain, carry = torch.zeros(LENGTH), 0.0
    for t in reversed(range(LENGTH)):
        carry = delta[t] + GAMMA * LAMBDA * (1 - over[t]) * carry
        gain[t] = carry
    taken = torch.distributions.Categorical(logits=actor(states)).log_prob(torch.stack(chosen))
    misfit = (critic(states).squeeze(1) - (gain + values)).pow(2).mean()
    optimizer.zero_grad()
    (misfit - (taken * (gain - gain.mean()) / (gain.std() + 1e-8)).mean()).backward()
    optimizer.step()
