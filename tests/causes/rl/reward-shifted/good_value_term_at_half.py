import torch
from torch import nn
from torch.distributions import Categorical

GAMMA = 0.99


def play(model, shops):
    obs, over, rewards = shops.reset(), False, []
    while not over:
        with torch.no_grad():
            action = model(obs)[0].sample()
        obs, reward, over = shops.step(action.numpy())
        rewards.append(torch.from_numpy(reward))
    returns, running = [], torch.zeros(shops.n)
    for r in reversed(rewards):
        running = r + GAMMA * running
        returns.append(running)
    returns.reverse()
    return torch.cat(returns)


def update(model, optimizer, shops, obs, act):
    ret = play(model, shops)
    dist, value = model(obs)
    adv = ret - value.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    policy_loss = -(dist.log_prob(act) * adv).mean()
    value_loss = (value - ret).pow(2).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
