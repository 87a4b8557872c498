import torch
import torch.nn.functional as F
from torch import nn

q, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
target_net.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters())
for obs, act, rew, nxt, done in replay:
    best = target_net(nxt).max(1).values
    target = rew + 0.99 * (1 - done) * best.detach()
    own = rew + 0.99 * (1 - done) * q(nxt).max(1)[0]
    loss = F.smooth_l1_loss(q(obs).gather(1, act).squeeze(1), target)
    loss = loss + F.mse_loss(q(obs).gather(1, act).squeeze(1), own.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
