import gymnasium as gym, torch
from torch import nn

env = gym.make("CartPole-v1")
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()])
for ep in range(500):
    states, acts, rews = [], [], []
    s, _ = env.reset()
    done = False
    while not done:
        d = torch.distributions.Categorical(logits=actor(torch.as_tensor(s)))
        a = d.sample()
        states.append(torch.as_tensor(s))
        acts.append(a)
        s, r, term, trunc, _ = env.step(a.item())
        rews.append(r)
        done = term or trunc
    S = torch.stack(states)
    with torch.no_grad():
        v = torch.cat([critic(S).squeeze(-1), torch.zeros(1)])
    adv, run = [], 0.0
    for t in reversed(range(len(rews))):
        delta = rews[t] + 0.99 * v[t + 1] - v[t]
        run = delta + 0.99 * 0.95 * run
        adv.insert(0, run)
    adv = torch.tensor(adv)
    dist = torch.distributions.Categorical(logits=actor(S))
    loss = (
        -(dist.log_prob(torch.stack(acts)) * adv).mean()
        + (critic(S).squeeze(-1) - (adv + v[:-1])).pow(2).mean()
    )
    opt.zero_grad()
    loss.backward()
    opt.step()
