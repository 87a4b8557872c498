import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Normal


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, act_dim))
        self.v = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 1))
        self.log_std = nn.Parameter(torch.zeros(act_dim))

    def forward(self, obs):
        return Normal(self.pi(obs), self.log_std.exp()), self.v(obs).squeeze(-1)


def train(env_id="Hopper-v5", steps=200_000, gamma=0.99):
    torch.manual_seed(0)
    env = gym.make(env_id)
    model = ActorCritic(env.observation_space.shape[0], env.action_space.shape[0])
    opt = torch.optim.Adam(model.parameters(), lr=3e-4)
    obs, _ = env.reset(seed=0)
    obs = torch.as_tensor(obs, dtype=torch.float32)
    for step in range(steps):
        dist, value = model(obs)
        action = dist.sample()
        nxt, reward, terminated, truncated, _ = env.step(action.numpy())
        nxt = torch.as_tensor(nxt, dtype=torch.float32)
        with torch.no_grad():
            target = reward + gamma * (1.0 - float(terminated)) * model(nxt)[1]
        adv = (target - value).detach()
        loss = -(dist.log_prob(action).sum() * adv) + 0.5 * (target - value).pow(2)
        opt.zero_grad()
        loss.backward()
        opt.step()
        obs = nxt
    return model
