import gymnasium as gym, numpy as np, torch
from torch import nn
from torch.distributions import Normal

class AC(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(o, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, a))
        self.v = nn.Sequential(nn.Linear(o, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.log_std = nn.Parameter(torch.zeros(a))
        nn.init.orthogonal_(self.pi[-1].weight, 0.01)
    def dist(self, o):
        return Normal(self.pi(o), self.log_std.exp())

env = gym.make("Pendulum-v1")
ac = AC(3, 1)
opt = torch.optim.Adam(ac.parameters(), lr=3e-4, eps=1e-5)
obs, _ = env.reset(seed=1)
for it in range(500):
    O, A, L, R, V, D = [], [], [], [], [], []
    for t in range(2048):
        o = torch.as_tensor(obs, dtype=torch.float32)
        with torch.no_grad():
            d = ac.dist(o)
            a = d.sample()
            O.append(o); A.append(a); L.append(d.log_prob(a).sum()); V.append(ac.v(o).squeeze(-1))
        obs, r, term, trunc, _ = env.step(a.numpy())
        if trunc and not term:
            with torch.no_grad():
                r = r + 0.99 * ac.v(torch.as_tensor(obs, dtype=torch.float32)).item()
        R.append(r)
        D.append(float(term or trunc))
        if term or trunc:
            obs, _ = env.reset()
    with torch.no_grad():
        last = ac.v(torch.as_tensor(obs, dtype=torch.float32)).squeeze(-1)
    adv, gae = torch.zeros(2048), 0.0
    for t in reversed(range(2048)):
        nv = last if t == 2047 else V[t + 1]
        delta = R[t] + 0.99 * nv * (1 - D[t]) - V[t]
        gae = delta + 0.99 * 0.95 * (1 - D[t]) * gae
        adv[t] = gae
    O, A, L, V = map(torch.stack, (O, A, L, V))
    ret = adv + V
    for _ in range(10):
        for idx in torch.randperm(2048).split(64):
            d = ac.dist(O[idx])
            ratio = (d.log_prob(A[idx]).sum(-1) - L[idx]).exp()
            ad = (adv[idx] - adv[idx].mean()) / (adv[idx].std() + 1e-8)
            pl = -torch.min(ratio * ad, ratio.clamp(0.8, 1.2) * ad).mean()
            vl = (ac.v(O[idx]).squeeze(-1) - ret[idx]).pow(2).mean()
            loss = pl + 0.5 * vl - 0.0 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
            opt.step()
