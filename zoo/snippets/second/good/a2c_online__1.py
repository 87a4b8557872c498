import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(o, 128), nn.Tanh())
        self.pi, self.v = nn.Linear(128, a), nn.Linear(128, 1)

    def forward(self, x):
        h = self.trunk(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def train(steps=20000, gamma=0.99, seed=0):
    torch.manual_seed(seed)
    env = gym.make("CartPole-v1")
    net = ActorCritic(4, 2)
    opt = torch.optim.Adam(net.parameters(), lr=7e-4)
    obs, _ = env.reset(seed=seed)
    for _ in range(steps):
        dist, v = net(torch.as_tensor(obs, dtype=torch.float32))
        a = dist.sample()
        nxt, r, terminated, truncated, _ = env.step(a.item())
        with torch.no_grad():
            _, v_next = net(torch.as_tensor(nxt, dtype=torch.float32))
            target = r + gamma * v_next * (not terminated)
        adv = target - v
        loss = -dist.log_prob(a) * adv.detach() + 0.5 * adv.pow(2) - 0.01 * dist.entropy()
        opt.zero_grad()
        loss.backward()
        opt.step()
        obs = nxt
        if terminated or truncated:
            obs, _ = env.reset()
    return net
