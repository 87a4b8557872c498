import numpy as np
import torch
import torch.nn.functional as F


class DQNAgent:
    def __init__(self, q, q_target, buffer, gamma=0.99, lr=1e-4):
        self.q, self.q_target, self.buffer, self.gamma = q, q_target, buffer, gamma
        self.optim = torch.optim.Adam(q.parameters(), lr=lr)

    def train_step(self, batch_size=32):
        state, action, reward, next_state, done = self.buffer.sample(batch_size)
        with torch.no_grad():
            max_next = self.q_target(next_state).max(dim=1)[0]
            target = reward + self.gamma * max_next
        current = self.q(state).gather(1, action.unsqueeze(-1)).squeeze(-1)
        loss = F.smooth_l1_loss(current, target)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return loss.item()
