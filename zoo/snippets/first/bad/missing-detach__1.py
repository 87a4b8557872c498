import numpy as np
import torch
import torch.nn as nn


class DQNAgent:
    def __init__(self, obs_dim, n_actions, gamma=0.99, lr=1e-3):
        self.q = nn.Sequential(nn.Linear(obs_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_actions))
        self.gamma = gamma
        self.n_actions = n_actions
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)

    def act(self, obs, eps):
        if np.random.rand() < eps:
            return np.random.randint(self.n_actions)
        with torch.no_grad():
            return int(self.q(torch.as_tensor(obs, dtype=torch.float32)).argmax())

    def learn(self, batch):
        obs, act, rew, nxt, term = batch
        q_sa = self.q(obs).gather(1, act.view(-1, 1)).squeeze(1)
        target = rew + self.gamma * (1.0 - term) * self.q(nxt).max(dim=1).values
        loss = nn.functional.mse_loss(q_sa, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
