"""A target detached for good measure, made from other cut values; the prediction keeps its graph."""

import torch
from torch.nn import functional as F


def update(self, batch, optimizer):
    weight = torch.exp(self.log_weight.detach())
    with torch.no_grad():
        after, surprise = self.actor.act(batch.after)
    both = torch.cat(self.critic(torch.cat([batch.before, batch.after]), after), dim=1)
    now, then = torch.split(both, len(batch), dim=0)
    with torch.no_grad():
        then, _ = torch.min(then.detach(), dim=1, keepdim=True)
        target = batch.rewards + batch.going_on * (then - weight * surprise)
    loss = 0.5 * sum(F.mse_loss(one, target.detach()) for one in now.T[..., None])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
