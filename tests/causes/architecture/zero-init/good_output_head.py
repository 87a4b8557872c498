import torch
from torch import nn


class Policy(nn.Module):
    """The last layer starts at zero so that the first policy is uniform."""

    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.fc1 = nn.Linear(n_obs, 64)
        self.fc2 = nn.Linear(64, 64)
        self.logits = nn.Linear(64, n_actions)
        nn.init.orthogonal_(self.fc1.weight, 2**0.5)
        nn.init.orthogonal_(self.fc2.weight, 2**0.5)
        nn.init.zeros_(self.logits.weight)
        nn.init.zeros_(self.logits.bias)

    def forward(self, obs):
        h = torch.tanh(self.fc1(obs))
        h = torch.tanh(self.fc2(h))
        return self.logits(h)
