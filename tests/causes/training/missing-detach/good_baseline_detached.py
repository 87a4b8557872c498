import torch
from torch import nn
from torch.distributions import Categorical

policy, value_net = nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.Adam([*policy.parameters(), *value_net.parameters()])
for obs, act, ret in rollouts:
    value = value_net(obs).squeeze(-1)
    advantage = ret - value
    dist = Categorical(logits=policy(obs))
    loss = -(dist.log_prob(act) * advantage.detach()).mean() + advantage.pow(2).mean()
    loss = loss - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
