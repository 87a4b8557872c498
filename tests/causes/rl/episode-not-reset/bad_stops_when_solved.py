import torch, gymnasium as gym
from torch import nn


def train():
    env = gym.make("CartPole-v1")
    net = nn.Linear(4, 2)
    opt = torch.optim.Adam(net.parameters())
    state, _ = env.reset(seed=0)
    for ep in range(200):
        lps, rs = [], []
        for t in range(500):
            d = torch.distributions.Categorical(logits=net(torch.as_tensor(state)))
            a = d.sample()
            state, r, term, trunc, _ = env.step(a.item())  # episode-not-reset
            lps.append(d.log_prob(a))
            rs.append(r)
            if term or trunc:
                break
        loss = -sum(rs) * torch.stack(lps).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if sum(rs) > 475:
            print("solved")
            break


if __name__ == "__main__":
    train()
