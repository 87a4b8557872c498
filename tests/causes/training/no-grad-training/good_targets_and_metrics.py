import torch
import torch.nn.functional as F
from torch import nn

q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
q_target = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
q_target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for obs, act, rew, nxt, done in replay:
    with torch.no_grad():
        target = rew + 0.99 * (1 - done) * q_target(nxt).max(1).values
    chosen = q(obs).gather(1, act.unsqueeze(1)).squeeze(1)
    loss = F.smooth_l1_loss(chosen, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        error = (chosen - target).abs().mean().item()
        for p, tp in zip(q.parameters(), q_target.parameters()):
            tp.mul_(0.995).add_(p, alpha=0.005)
