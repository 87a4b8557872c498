import numpy as np
import torch
import torch.nn as nn


def ppo_update(agent, optimizer, b_obs, b_act, b_logp, b_adv, b_ret, epochs=4, mb=64, clip=0.2, ent=0.01, vf=0.5):
    idx = np.arange(len(b_obs))
    for _ in range(epochs):
        np.random.shuffle(idx)
        for start in range(0, len(idx), mb):
            i = idx[start:start + mb]
            dist, value = agent(b_obs[i])
            ratio = (dist.log_prob(b_act[i]) - b_logp[i]).exp()
            adv = (b_adv[i] - b_adv[i].mean()) / (b_adv[i].std() + 1e-8)
            pg = torch.max(-adv * ratio, -adv * ratio.clamp(1 - clip, 1 + clip)).mean()
            v_loss = 0.5 * (value.view(-1) - b_ret[i]).pow(2).mean()
            loss = pg - ent * dist.entropy().mean() + vf * v_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
