import gymnasium as gym, numpy as np, torch, random
from torch import nn


class Agent:
    def __init__(self, env, lr=1e-3, gamma=0.99):
        self.env, self.gamma = env, gamma
        self.q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.mem = []

    def remember(self, s, a, r, s2, d):
        self.mem.append({"s": s, "a": a, "r": r, "s2": s2, "d": d})

    def replay(self, n=32):
        batch = random.sample(self.mem, n)
        for e in batch:
            best = self.q(torch.tensor(e["s2"])).max()
            target = e["r"] + self.gamma * best  # bootstrap-through-terminal
            out = self.q(torch.tensor(e["s"]))[e["a"]]
            loss = (out - target.detach()) ** 2
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    def run(self):
        for ep in range(100):
            s, _ = self.env.reset()
            done = False
            while not done:
                a = self.q(torch.tensor(s)).argmax().item()
                s2, r, term, trunc, _ = self.env.step(a)
                done = term or trunc
                self.remember(s, a, r, s2, done)
                s = s2
                if len(self.mem) > 100:
                    self.replay()


Agent(gym.make("CartPole-v1")).run()
