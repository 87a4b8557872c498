import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class DQN:
    def __init__(self, obs_dim, n_act, gamma=0.99, lr=2.5e-4):
        self.q = nn.Sequential(nn.Linear(obs_dim, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, n_act))
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma
        self.n_act = n_act

    def act(self, obs, eps, rng):
        if rng.random() < eps:
            return int(rng.integers(self.n_act))
        with torch.no_grad():
            return int(self.q(torch.as_tensor(obs)).argmax())

    def update(self, s, a, r, s2, terminated):
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + self.gamma * (1 - terminated) * self.target(s2).gather(1, best).squeeze(1)
        q = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())


def main(total=100_000):
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    env = gym.make("CartPole-v1")
    agent = DQN(4, 2)
    mem = []
    obs, _ = env.reset(seed=1)
    for t in range(total):
        a = agent.act(obs, max(0.05, 1 - t / 20_000), rng)
        nxt, r, terminated, truncated, _ = env.step(a)
        mem.append((obs, a, r, nxt, float(terminated)))
        obs = nxt
        if terminated or truncated:
            obs, _ = env.reset()
        if t > 1000 and t % 4 == 0:
            rows = [mem[i] for i in rng.integers(len(mem), size=128)]
            s, ac, rw, s2, d = (np.array(c) for c in zip(*rows))
            agent.update(torch.as_tensor(s), torch.as_tensor(ac), torch.as_tensor(rw, dtype=torch.float32),
                         torch.as_tensor(s2), torch.as_tensor(d, dtype=torch.float32))
        if t % 500 == 0:
            agent.sync()


if __name__ == "__main__":
    main()
