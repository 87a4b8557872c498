import torch
import torch.nn as nn
import torch.nn.functional as F


class Critic(nn.Module):
    def __init__(self, obs_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, o):
        return self.net(o).squeeze(-1)


class TDLearner:
    def __init__(self, obs_dim, gamma=0.98):
        self.critic = Critic(obs_dim)
        self.gamma = gamma
        self.opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def update(self, obs, rew, next_obs, terminated):
        v = self.critic(obs)
        v_next = self.critic(next_obs)
        td_target = rew + self.gamma * (1.0 - terminated) * v_next
        loss = F.mse_loss(v, td_target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
