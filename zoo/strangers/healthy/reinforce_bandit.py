"""REINFORCE with a learned baseline: a courier picks one of 4 routes given weather and traffic."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(17)
world = torch.Generator().manual_seed(17)
ROUTES = torch.randn(5, 4, generator=world)


def observe(n):
    return torch.randn(n, 5, generator=world)


def mean_reward(obs):
    return torch.tanh(obs @ ROUTES)


policy = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 4))
value = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([
    {"params": policy.parameters(), "lr": 3e-3},
    {"params": value.parameters(), "lr": 5e-3},
])
for it in range(1, 1201):
    obs = observe(128)
    dist = Categorical(logits=policy(obs))
    act = dist.sample()
    rew = mean_reward(obs).gather(1, act[:, None]).squeeze(1) + 0.1 * torch.randn(128, generator=world)
    v = value(obs).squeeze(1)
    adv = (rew - v).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    pg = -(dist.log_prob(act) * adv).mean()
    loss = pg + 0.5 * (v - rew).square().mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(f"iter {it} loss {loss.item():+.4f} reward {rew.mean():.3f} entropy {dist.entropy().mean():.3f}")

with torch.no_grad():
    obs = observe(4000)
    r = mean_reward(obs)
    got = r.gather(1, policy(obs).argmax(1, keepdim=True)).mean()
    print(f"fresh contexts: greedy {got:.3f}, random {r.mean():.3f}, best possible {r.max(1).values.mean():.3f}")
