"""Double DQN on a 5x5 room: fetch the key, then leave through the door. Time limits end an episode without being terminal."""
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class KeyDoor(gym.Env):
    SIZE = 5

    def __init__(self):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (7,), np.float32)
        self.action_space = gym.spaces.Discrete(4)

    def _obs(self):
        c = (self.SIZE - 1) / 2
        return np.concatenate([(self.pos - c) / c, (self.key - c) / c, (self.door - c) / c,
                               [1.0 if self.has_key else -1.0]]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.SIZE ** 2, 3, replace=False)
        self.pos, self.key, self.door = [np.array(divmod(int(c), self.SIZE)) for c in cells]
        self.has_key = False
        return self._obs(), {}

    def step(self, action):
        move = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)][action])
        self.pos = np.clip(self.pos + move, 0, self.SIZE - 1)
        reward = -0.02
        if not self.has_key and (self.pos == self.key).all():
            self.has_key = True
            reward += 0.5
        done = self.has_key and (self.pos == self.door).all()
        return self._obs(), reward + (1.0 if done else 0.0), bool(done), False, {}


class Replay:
    def __init__(self, size):
        self.data = deque(maxlen=size)

    def add(self, *transition):
        self.data.append(transition)

    def sample(self, n):
        o, a, r, o2, d = zip(*random.sample(self.data, n))
        f = lambda v: torch.as_tensor(np.array(v), dtype=torch.float32)
        return f(o), torch.tensor(a), f(r), f(o2), f(d)


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(7, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.value, self.adv = nn.Linear(96, 1), nn.Linear(96, 4)

    def forward(self, x):
        h = self.body(x)
        adv = self.adv(h)
        return self.value(h) + adv - adv.mean(1, keepdim=True)


@torch.no_grad()
def play(q, episodes, seed):
    env = gym.wrappers.TimeLimit(KeyDoor(), 40)
    won, ret = 0, 0.0
    for ep in range(episodes):
        obs, _ = env.reset(seed=seed + ep)
        over = False
        while not over:
            obs, r, term, trunc, _ = env.step(int(q(torch.from_numpy(obs)[None]).argmax()))
            ret += r
            over = term or trunc
        won += term
    return won / episodes, ret / episodes


def main(total=13000, gamma=0.95, batch=64, tau=0.01):
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env = gym.wrappers.TimeLimit(KeyDoor(), 40)
    q, target = QNet(), QNet()
    target.load_state_dict(q.state_dict())
    target.requires_grad_(False)
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    memory = Replay(20000)
    obs, _ = env.reset(seed=1)
    losses = deque(maxlen=500)
    for step in range(1, total + 1):
        eps = max(0.05, 1 - step / 7000)
        if random.random() < eps:
            action = random.randrange(4)
        else:
            with torch.no_grad():
                action = int(q(torch.from_numpy(obs)[None]).argmax())
        nxt, reward, term, trunc, _ = env.step(action)
        memory.add(obs, action, reward, nxt, float(term))
        obs = env.reset()[0] if term or trunc else nxt

        if step > 500 and step % 2 == 0:
            o, a, r, o2, d = memory.sample(batch)
            with torch.no_grad():
                best = q(o2).argmax(1, keepdim=True)
                y = r + gamma * (1 - d) * target(o2).gather(1, best)[:, 0]
            loss = F.smooth_l1_loss(q(o).gather(1, a[:, None])[:, 0], y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q.parameters(), 10.0)
            opt.step()
            with torch.no_grad():
                for pt, p in zip(target.parameters(), q.parameters()):
                    pt.lerp_(p, tau)
            losses.append(loss.item())
        if step % 1000 == 0:
            won, ret = play(q, 20, seed=5000)
            print(f"step {step:6d} eps {eps:.2f} td loss {np.mean(losses):.4f} greedy success {won:.2f} return {ret:.2f}")
    won, ret = play(q, 150, seed=90000)
    print(f"final: 150 new rooms, success {won:.2f}, mean return {ret:.2f}")


if __name__ == "__main__":
    main()
