import torch
from torch.nn.utils import clip_grad_norm_

opt_a = torch.optim.Adam(actor.parameters(), lr=1e-4)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
for batch in buffer:
    loss = policy_loss(actor, batch) + value_loss(critic, batch)
    opt_a.zero_grad()
    opt_c.zero_grad()
    loss.backward()
    clip_grad_norm_(actor.parameters(), 0.5)
    opt_a.step()
    clip_grad_norm_(critic.parameters(), 0.5)
    opt_c.step()
