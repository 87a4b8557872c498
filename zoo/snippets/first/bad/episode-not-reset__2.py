import gymnasium as gym
import torch
import torch.nn as nn


class RecurrentPolicy(nn.Module):
    def __init__(self, obs_dim, n_act, hid=64):
        super().__init__()
        self.rnn = nn.GRUCell(obs_dim, hid)
        self.logits = nn.Linear(hid, n_act)
        self.hid = hid

    def forward(self, o, h):
        h = self.rnn(o, h)
        return torch.distributions.Categorical(logits=self.logits(h)), h


env = gym.make("CartPole-v1")
torch.manual_seed(0)
pol = RecurrentPolicy(4, 2)
optimizer = torch.optim.Adam(pol.parameters(), lr=1e-3)

h = torch.zeros(1, pol.hid)
for ep in range(2000):
    o, _ = env.reset(seed=ep)
    h = h.detach()
    logp, rew, over = [], [], False
    while not over:
        dist, h = pol(torch.as_tensor(o, dtype=torch.float32).unsqueeze(0), h)
        a = dist.sample()
        logp.append(dist.log_prob(a))
        o, r, term, trunc, _ = env.step(a.item())
        rew.append(r)
        over = term or trunc
    g, G = 0.0, []
    for r in reversed(rew):
        g = r + 0.99 * g
        G.append(g)
    G = torch.tensor(G[::-1])
    G = (G - G.mean()) / (G.std() + 1e-6)
    loss = -(torch.cat(logp) * G).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
