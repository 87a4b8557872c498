import torch
import torch.nn.functional as F
from torch import nn

actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
actor_opt = torch.optim.Adam(actor.parameters())
critic_opt = torch.optim.Adam(critic.parameters())
for s, a, r, s2 in replay:
    with torch.no_grad():
        y = r + 0.98 * critic(torch.cat([s2, actor(s2)], 1))
    critic_loss = F.mse_loss(critic(torch.cat([s, a], 1)), y)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    actor_loss = -critic(torch.cat([s, actor(s)], 1)).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
