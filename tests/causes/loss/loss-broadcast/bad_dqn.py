import torch
import torch.nn.functional as F
from torch import nn, optim


class QNet(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(obs, 64), nn.ReLU(), nn.Linear(64, actions))

    def forward(self, obs):
        return self.layers(obs)


def learn(q, target_q, batch, opt, gamma=0.99):
    states, actions, rewards, next_states, dones = batch
    rewards = torch.as_tensor(rewards).view(-1)
    chosen = q(states).gather(1, actions.view(-1, 1))
    with torch.no_grad():
        best = target_q(next_states).max(1)[0]
        goal = rewards + gamma * best * (1 - dones.view(-1))
    loss = F.mse_loss(chosen, goal)  # loss-broadcast
    opt.zero_grad()
    loss.backward()
    opt.step()


online, frozen = QNet(4, 2), QNet(4, 2)
optimizer = optim.Adam(online.parameters())
for batch in replay:
    learn(online, frozen, batch, optimizer)
