import numpy as np
import torch


def gae(rewards, values, next_values, terminated, truncated, gamma=0.99, lam=0.95):
    adv = np.zeros_like(rewards)
    last = 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * next_values[t] * (1.0 - terminated[t]) - values[t]
        done = max(terminated[t], truncated[t])
        last = delta + gamma * lam * (1.0 - done) * last
        adv[t] = last
    return adv, adv + values


def update(net, opt, obs, act, old_logp, adv, ret, clip=0.2, epochs=4, bs=256):
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(epochs):
        for idx in torch.randperm(len(obs)).split(bs):
            dist, value = net(obs[idx])
            ratio = (dist.log_prob(act[idx]) - old_logp[idx]).exp()
            pg = -torch.min(ratio * adv[idx], ratio.clamp(1 - clip, 1 + clip) * adv[idx]).mean()
            vf = 0.5 * (value.squeeze(-1) - ret[idx]).pow(2).mean()
            loss = pg + 0.5 * vf - 0.01 * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
