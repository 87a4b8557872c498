import torch
import torch.nn.functional as F
from torch import nn


class Policy:
    def __init__(self, size, actions):
        self.net = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, actions))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def log_chances(self, obs):
        return F.log_softmax(self.net(obs), dim=0)  # softmax-wrong-dim

    @torch.no_grad()
    def act(self, obs):
        return torch.multinomial(self.log_chances(torch.as_tensor(obs)).exp(), 1).item()

    def update(self, obs, actions, advantages):
        chosen = self.log_chances(obs).gather(1, actions.unsqueeze(1)).squeeze(1)
        loss = -(chosen * advantages).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
