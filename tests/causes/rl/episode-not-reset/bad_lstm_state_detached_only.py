import gymnasium as gym, torch
from torch import nn


class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.LSTM(4, 16, batch_first=True)
        self.o = nn.Linear(16, 2)

    def forward(self, x, hc=None):
        y, hc = self.l(x, hc)
        return self.o(y[:, -1]), hc


env = gym.make("CartPole-v1")
net = P()
opt = torch.optim.Adam(net.parameters())
obs, _ = env.reset()
hc = None
lps, rs = [], []
for step in range(100000):
    logits, hc = net(torch.tensor(obs).view(1, 1, -1), hc)
    d = torch.distributions.Categorical(logits=logits)
    a = d.sample()
    obs, r, term, trunc, _ = env.step(a.item())
    lps.append(d.log_prob(a))
    rs.append(r)
    if term or trunc:
        loss = -sum(rs) * torch.stack(lps).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        obs, _ = env.reset()
        lps, rs = [], []
        hc = tuple(h.detach() for h in hc)  # episode-not-reset
