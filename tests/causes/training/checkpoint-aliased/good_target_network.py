import torch
import torch.nn.functional as F
from torch import nn

q, q_target = nn.Linear(4, 2), nn.Linear(4, 2)
q_target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters())
for step, (obs, act, ret) in enumerate(replay):
    loss = F.mse_loss(q(obs).gather(1, act).squeeze(1), ret)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 500 == 0:
        q_target.load_state_dict(q.state_dict())
