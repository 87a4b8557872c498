"""Courier robot on a 5x5 warehouse floor: Double DQN with a replay ring and a Polyak target."""
import copy
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

N = 5
SHELVES = {(1, 1), (1, 2), (3, 3), (3, 1)}
MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]
FREE = [(r, c) for r in range(N) for c in range(N) if (r, c) not in SHELVES]


class Warehouse:
    """Pick up at a random dock, go to a random goal. -0.05 per step, +1 on delivery."""

    horizon = 30

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def reset(self):
        self.pos, self.goal = self.rng.sample(FREE, 2)
        self.t = 0
        return self._obs()

    def _obs(self):
        x = np.zeros((2, N, N), dtype=np.float32)
        x[0][self.pos] = 1.0
        x[1][self.goal] = 1.0
        return x.ravel()

    def step(self, a):
        self.t += 1
        dr, dc = MOVES[a]
        nxt = (self.pos[0] + dr, self.pos[1] + dc)
        if nxt in FREE_SET:
            self.pos = nxt
        terminated = self.pos == self.goal
        truncated = self.t >= self.horizon and not terminated
        return self._obs(), (1.0 if terminated else -0.05), terminated, truncated


FREE_SET = set(FREE)


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2 * N * N, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.value = nn.Linear(128, 1)
        self.adv = nn.Linear(128, len(MOVES))

    def forward(self, x):
        h = self.trunk(x)
        a = self.adv(h)
        return self.value(h) + a - a.mean(-1, keepdim=True)


def shortest(pos, goal):
    seen, q = {pos}, deque([(pos, 0)])
    while q:
        p, d = q.popleft()
        if p == goal:
            return d
        for dr, dc in MOVES:
            n = (p[0] + dr, p[1] + dc)
            if n in FREE_SET and n not in seen:
                seen.add(n)
                q.append((n, d + 1))


@torch.no_grad()
def patrol(q, episodes=50, seed=999):
    env = Warehouse(seed)
    delivered, detour = 0, []
    for _ in range(episodes):
        o = env.reset()
        best = shortest(env.pos, env.goal)
        while True:
            o, _, term, trunc = env.step(int(q(torch.from_numpy(o)).argmax()))
            if term:
                delivered += 1
                detour.append(env.t / best)
            if term or trunc:
                break
    return delivered / episodes, float(np.mean(detour)) if detour else float("nan")


def main():
    random.seed(3)
    np.random.seed(3)
    torch.manual_seed(3)
    env = Warehouse(3)
    q = QNet()
    target = copy.deepcopy(q).requires_grad_(False)
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    ring = deque(maxlen=20_000)
    gamma, tau, total = 0.95, 0.02, 9_000

    o = env.reset()
    ret, returns, td = 0.0, deque(maxlen=100), deque(maxlen=500)
    for step in range(1, total + 1):
        eps = max(0.05, 1.0 - step / 4_000)
        if random.random() < eps:
            a = random.randrange(4)
        else:
            with torch.no_grad():
                a = int(q(torch.from_numpy(o)).argmax())
        o2, r, term, trunc = env.step(a)
        ring.append((o, a, r, o2, float(term)))
        ret += r
        o = o2
        if term or trunc:
            returns.append(ret)
            ret, o = 0.0, env.reset()

        if step >= 1000:
            batch = random.sample(ring, 64)
            S, A, R, S2, D = map(np.array, zip(*batch))
            S, S2 = torch.from_numpy(S), torch.from_numpy(S2)
            A = torch.from_numpy(A).long().unsqueeze(1)
            R, D = torch.tensor(R, dtype=torch.float32), torch.tensor(D, dtype=torch.float32)
            with torch.no_grad():
                pick = q(S2).argmax(1, keepdim=True)
                y = R + gamma * (1 - D) * target(S2).gather(1, pick).squeeze(1)
            loss = F.smooth_l1_loss(q(S).gather(1, A).squeeze(1), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q.parameters(), 10.0)
            opt.step()
            td.append(loss.item())
            with torch.no_grad():
                for pt, p in zip(target.parameters(), q.parameters()):
                    pt.lerp_(p, tau)
        if step % 1500 == 0:
            ok, det = patrol(q)
            print(f"[{step:>6}] eps={eps:.2f} return100={np.mean(returns):+.3f} "
                  f"td={np.mean(td) if td else float('nan'):.4f} | greedy delivered={ok:.0%} detour=x{det:.2f}")
    ok, det = patrol(q, 200, seed=31337)
    print(f"final greedy: {ok:.1%} parcels delivered, path length {det:.3f} times the shortest")


if __name__ == "__main__":
    main()
