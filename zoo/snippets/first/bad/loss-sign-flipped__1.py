import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(2)


class Policy(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, n_actions))

    def forward(self, obs):
        return Categorical(logits=self.net(obs))


def returns_to_go(rewards, gamma):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        out.insert(0, g)
    return torch.tensor(out)


env = gym.make("Acrobot-v1")
policy = Policy(6, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)

for episode in range(1000):
    obs, _ = env.reset(seed=episode)
    logps, rewards, over = [], [], False
    while not over:
        dist = policy(torch.as_tensor(obs, dtype=torch.float32))
        act = dist.sample()
        obs, rew, term, trunc, _ = env.step(act.item())
        logps.append(dist.log_prob(act))
        rewards.append(rew)
        over = term or trunc
    G = returns_to_go(rewards, 0.99)
    G = (G - G.mean()) / (G.std() + 1e-8)
    policy_loss = (torch.stack(logps) * G).sum()
    optimizer.zero_grad()
    policy_loss.backward()
    optimizer.step()
    print(episode, sum(rewards))
