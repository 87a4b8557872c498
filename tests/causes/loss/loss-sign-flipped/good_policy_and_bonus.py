import torch
import torch.nn.functional as F


def update(policy, value, opt, obs, actions, returns, beta=0.01):
    dist = policy(obs)
    baseline = value(obs).squeeze(-1)
    advantage = returns - baseline
    policy_loss = -(dist.log_prob(actions) * advantage.detach()).mean()
    value_loss = F.mse_loss(baseline, returns)
    loss = policy_loss + 0.5 * value_loss - beta * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()


def score_function(sampler, cost_of, opt):
    dist = sampler()
    tour = dist.sample()
    with torch.no_grad():
        cost = cost_of(tour)
    loss = ((cost - cost.mean()) * dist.log_prob(tour)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
