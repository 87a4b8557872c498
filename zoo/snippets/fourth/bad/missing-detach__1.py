import torch
import torch.nn as nn


class AC(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(o, 64), nn.Tanh(), nn.Linear(64, a))
        self.v = nn.Sequential(nn.Linear(o, 64), nn.Tanh(), nn.Linear(64, 1))


def learn(ac, opt, obs, act, ret):
    dist = torch.distributions.Categorical(logits=ac.pi(obs))
    value = ac.v(obs).squeeze(-1)
    adv = ret - value
    loss = -(dist.log_prob(act) * adv).mean() + 0.5 * adv.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
