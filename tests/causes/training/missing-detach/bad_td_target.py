import torch
import torch.nn.functional as F
from torch import nn

q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
gamma = 0.99
for obs, act, rew, nxt, done in replay:
    target = rew + gamma * (1 - done) * q(nxt).max(1).values  # missing-detach
    chosen = q(obs).gather(1, act.unsqueeze(1)).squeeze(1)
    loss = F.mse_loss(chosen, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
