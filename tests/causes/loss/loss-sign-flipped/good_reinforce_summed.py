import torch
from torch.distributions import Normal


def improve(actor, optimizer, rollout, advantages):
    mean, spread = actor(rollout.observations)
    chosen = Normal(mean, spread).log_prob(rollout.actions).sum(dim=-1)
    objective = -(chosen * advantages).mean()
    optimizer.zero_grad()
    objective.backward()
    optimizer.step()


def imitate_less(actor, optimizer, rollout, costs):
    mean, spread = actor(rollout.observations)
    chosen = Normal(mean, spread).log_prob(rollout.actions).sum(dim=-1)
    objective = (chosen * costs).mean()
    optimizer.zero_grad()
    objective.backward()
    optimizer.step()
