import torch
import torch.nn as nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.body = nn.Linear(obs, 64)
        self.mu, self.log_std = nn.Linear(64, act), nn.Linear(64, act)

    def forward(self, obs):
        h = torch.relu(self.body(obs))
        dist = Normal(self.mu(h), self.log_std(h).clamp(-5, 2).exp())
        raw = dist.rsample()
        action = torch.tanh(raw)
        log_prob = dist.log_prob(raw) - torch.log(1 - action.pow(2))  # unsafe-log-div
        return action, log_prob.sum(-1)
