import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class RoverEnv(gym.Env):
    """Drive a rover around a wall to the charging station at the right-hand side of the yard."""

    MOVES = np.array([[0.16, 0], [-0.16, 0], [0, 0.16], [0, -0.16]], dtype=np.float32)
    DOCK = np.array([0.8, 0.0], dtype=np.float32)

    def __init__(self, limit=80):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        self.limit = limit

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.pos = np.array([self.np_random.uniform(-1, -0.3), self.np_random.uniform(-1, 1)], dtype=np.float32)
        return self.pos.copy(), {}

    def step(self, action):
        self.t += 1
        slip = self.np_random.normal(0, 0.02, 2).astype(np.float32)
        new = np.clip(self.pos + self.MOVES[action] + slip, -1, 1)
        crosses = (self.pos[0] < 0.1) != (new[0] < 0.1)
        if not (crosses and abs(new[1]) < 0.5):
            self.pos = new
        docked = bool(np.linalg.norm(self.pos - self.DOCK) < 0.2)
        reward = 1.0 if docked else -0.02
        return self.pos.copy(), reward, docked, self.t >= self.limit, {}


def make_net():
    return nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))


class DQN:
    def __init__(self, gamma=0.97, lr=1e-3):
        self.q, self.target = make_net(), make_net()
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma

    @torch.no_grad()
    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(4)
        return int(self.q(torch.from_numpy(obs)).argmax())

    def update(self, batch):
        o, a, r, o2, term = zip(*batch)
        o, o2 = torch.from_numpy(np.stack(o)), torch.from_numpy(np.stack(o2))
        a, r = torch.tensor(a), torch.tensor(r, dtype=torch.float32)
        alive = 1.0 - torch.tensor(term, dtype=torch.float32)
        with torch.no_grad():
            best = self.q(o2).argmax(1, keepdim=True)
            y = r + self.gamma * alive * self.target(o2).gather(1, best).squeeze(1)
        q = self.q(o).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def evaluate(agent, episodes=50, seed=10_000):
    env, wins, total = RoverEnv(), 0, 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        over = False
        while not over:
            obs, r, terminated, truncated, _ = env.step(agent.act(obs, 0.02))
            total += r
            over = terminated or truncated
        wins += terminated
    return wins / episodes, total / episodes


def main():
    seed = 4
    random.seed(seed), np.random.seed(seed), torch.manual_seed(seed)
    env, agent = RoverEnv(), DQN()
    memory, losses, lengths = deque(maxlen=8_000), deque(maxlen=500), deque(maxlen=20)
    steps, start, length = 14_000, 500, 0

    obs, _ = env.reset(seed=seed)
    for step in range(1, steps + 1):
        eps = max(0.1, 1.0 - step / 6000)
        action = agent.act(obs, eps)
        nxt, reward, terminated, truncated, _ = env.step(action)
        memory.append((obs, action, reward, nxt, terminated))
        obs = nxt
        length += 1
        if terminated or truncated:
            lengths.append(length)
            length = 0

        if step >= start and step % 2 == 0:
            losses.append(agent.update(random.sample(memory, 64)))
        if step % 200 == 0:
            agent.target.load_state_dict(agent.q.state_dict())
        if step % 2000 == 0:
            print(f"step {step:6d}  loss {np.mean(losses):.5f}  eps {eps:.2f}  last episodes: {np.mean(lengths):.1f} steps")

    rate, ret = evaluate(agent)
    print(f"evaluation: docked in {100 * rate:.0f} % of 50 episodes, mean return {ret:.2f}")


if __name__ == "__main__":
    main()
