import torch
from torch.distributions import Categorical


def update(policy, optimizer, bandit, n):
    visitors = bandit.visitors(n)
    dist = Categorical(logits=policy(visitors))
    arms = dist.sample()
    rewards = bandit.pull(visitors, arms)
    advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
    loss = -(advantage * dist.log_prob(arms)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def group_relative(rewards, group):
    rewards = rewards.view(-1, group)
    return (
        (rewards - rewards.mean(dim=1, keepdim=True)) / (rewards.std(dim=1, keepdim=True) + 1e-4)
    ).flatten()
