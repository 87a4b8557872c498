"""Treasure hunt on a 5x5 island: Q-learning with a small network.

Each round the treasure and two pits lie somewhere else. +1 for the treasure, -1 for a pit (both end the round),
-0.02 a step, and after 30 steps the tide ends the round early (not a real end, so we still bootstrap there).
"""
import os
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

N = 5
W = 2 * N - 1          # a window of this size around the player shows the whole island
MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


class Island:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def reset(self):
        cells = [(i, j) for i in range(N) for j in range(N)]
        self.me, self.gold, *self.pits = self.rng.sample(cells, 4)
        self.t = 0
        return self.look()

    def look(self):
        s = np.zeros((2, W, W), dtype=np.float32)
        i, j = self.me
        s[0, self.gold[0] - i + N - 1, self.gold[1] - j + N - 1] = 1
        for p in self.pits:
            s[1, p[0] - i + N - 1, p[1] - j + N - 1] = 1
        shore = np.array([i == 0, i == N - 1, j == 0, j == N - 1], dtype=np.float32)
        return np.concatenate([s.ravel(), shore])

    def step(self, a):
        di, dj = MOVES[a]
        self.me = (min(max(self.me[0] + di, 0), N - 1), min(max(self.me[1] + dj, 0), N - 1))
        self.t += 1
        if self.me == self.gold:
            return self.look(), 1.0, True, False
        if self.me in self.pits:
            return self.look(), -1.0, True, False
        return self.look(), -0.02, False, self.t >= 30


class QNet(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2 * W * W + 4, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.value, self.adv = nn.Linear(width, 1), nn.Linear(width, len(MOVES))

    def forward(self, s):
        h = self.body(s)
        a = self.adv(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


def best(net, s):
    with torch.no_grad():
        return int(net(torch.from_numpy(s)[None]).argmax(dim=1))


def test_rounds(net, rounds, seed):
    net.eval()
    env, wins, total = Island(seed), 0, 0.0
    for _ in range(rounds):
        s, end, cut = env.reset(), False, False
        while not (end or cut):
            s, r, end, cut = env.step(best(net, s))
            total += r
        wins += r == 1.0
    net.train()
    return wins / rounds, total / rounds


GAMMA, BATCH, STEPS, START, TAU = 0.95, 64, 16000, 800, 0.02
q, target = QNet(), QNet()
target.load_state_dict(q.state_dict())
target.requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
memory = deque(maxlen=12000)
env = Island(SEED * 100 + 1)
print("untrained: found %.3f, return %.3f" % test_rounds(q, 150, SEED * 100 + 2))

s = env.reset()
losses = []
for step in range(1, STEPS + 1):
    eps = max(0.05, 1 - step / (0.5 * STEPS))
    a = random.randrange(len(MOVES)) if random.random() < eps else best(q, s)
    s2, r, end, cut = env.step(a)
    memory.append((s, a, r, s2, end))
    s = env.reset() if end or cut else s2

    if step >= START and step % 3 == 0:
        S, A, R, S2, E = zip(*random.sample(memory, BATCH))
        S, S2 = torch.from_numpy(np.stack(S)), torch.from_numpy(np.stack(S2))
        A, R, E = torch.tensor(A), torch.tensor(R), torch.tensor(E, dtype=torch.float32)
        with torch.no_grad():
            choice = q(S2).argmax(dim=1, keepdim=True)              # double DQN
            goal = R + GAMMA * (1 - E) * target(S2).gather(1, choice).squeeze(1)
        guess = q(S).gather(1, A[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(guess, goal)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
        with torch.no_grad():
            for tp, p in zip(target.parameters(), q.parameters()):
                tp.lerp_(p, TAU)

    if step % 2000 == 0:
        found, ret = test_rounds(q, 100, SEED * 100 + 3)
        print(f"step {step:6d}  eps {eps:.2f}  td loss {np.mean(losses[-300:]):.4f}  found {found:.2f}  return {ret:+.3f}")

found, ret = test_rounds(q, 300, SEED * 100 + 4)
print(f"final on 300 new islands: found {found:.3f}  return {ret:+.3f}")
