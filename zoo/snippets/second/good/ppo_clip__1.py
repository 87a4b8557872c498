import torch
import torch.nn as nn


def gae(rewards, values, next_value, terminated, ended, gamma=0.99, lam=0.95):
    """next_value[t] is V of the true next observation, also where a time limit cut the episode."""
    adv = torch.zeros_like(rewards)
    last = 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * next_value[t] * (1 - terminated[t]) - values[t]
        last = delta + gamma * lam * (1 - ended[t]) * last
        adv[t] = last
    return adv, adv + values


def ppo_update(agent, optimizer, obs, actions, old_logp, adv, returns, epochs=4, minibatch=64, clip=0.2):
    n = obs.size(0)
    for _ in range(epochs):
        for idx in torch.randperm(n).split(minibatch):
            dist, value = agent(obs[idx])
            logp = dist.log_prob(actions[idx])
            ratio = (logp - old_logp[idx]).exp()
            a = adv[idx]
            a = (a - a.mean()) / (a.std() + 1e-8)
            pg = torch.max(-a * ratio, -a * ratio.clamp(1 - clip, 1 + clip)).mean()
            v_loss = 0.5 * (value.squeeze(-1) - returns[idx]).pow(2).mean()
            ent = dist.entropy().mean()
            loss = pg + 0.5 * v_loss - 0.01 * ent
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
