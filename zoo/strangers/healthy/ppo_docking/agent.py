import torch
import torch.nn as nn
from torch.distributions import Categorical


def ortho(layer, gain):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def tower(i, o, last_gain, h=64):
    return nn.Sequential(ortho(nn.Linear(i, h), 2 ** 0.5), nn.Tanh(), ortho(nn.Linear(h, h), 2 ** 0.5), nn.Tanh(),
                         ortho(nn.Linear(h, o), last_gain))


class Agent(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.pi = tower(obs_dim, n_actions, 0.01)   # starts near uniform on purpose
        self.v = tower(obs_dim, 1, 1.0)

    def policy(self, obs):
        return Categorical(logits=self.pi(obs))

    def value(self, obs):
        return self.v(obs).squeeze(-1)


def gae(reward, value, next_value, terminated, ended, gamma, lam):
    """`next_value` is the value of the state that really followed (before any reset).
    A true end removes the bootstrap; any end stops the trace."""
    adv = torch.zeros_like(reward)
    run = torch.zeros(reward.shape[1])
    for t in reversed(range(len(reward))):
        delta = reward[t] + gamma * next_value[t] * ~terminated[t] - value[t]
        run = delta + gamma * lam * ~ended[t] * run
        adv[t] = run
    return adv
