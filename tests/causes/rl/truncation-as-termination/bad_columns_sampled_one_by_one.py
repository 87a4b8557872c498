import gymnasium
import numpy as np
import torch
from torch import nn


class Columns:
    """A ring of arrays, sampled column by column."""

    def __init__(self, size, width):
        self.obs, self.nxt = np.zeros((size, width), np.float32), np.zeros((size, width), np.float32)
        self.act, self.rew, self.end = np.zeros(size, np.int64), np.zeros(size), np.zeros(size)
        self.count, self.size, self.rng = 0, size, np.random.default_rng(3)

    def add(self, obs, act, rew, nxt, end):
        at = self.count % self.size
        self.obs[at], self.act[at], self.rew[at], self.nxt[at], self.end[at] = obs, act, rew, nxt, end
        self.count += 1

    def sample(self, number):
        rows = self.rng.integers(0, min(self.count, self.size), size=number)
        return [torch.from_numpy(part[rows]) for part in (self.obs, self.act, self.rew, self.nxt, self.end)]


def main(steps=5000, gamma=0.98):
    torch.manual_seed(3)
    env = gymnasium.make("MountainCar-v0")
    q = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 3))
    slow = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 3))
    slow.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
    memory = Columns(10_000, 2)
    obs, _ = env.reset(seed=3)
    for step in range(steps):
        with torch.no_grad():
            greedy = int(q(torch.from_numpy(obs)).argmax())
        action = greedy if np.random.rand() > 0.2 else env.action_space.sample()
        nxt, reward, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
        memory.add(obs, action, reward, nxt, over)  # truncation-as-termination
        obs = env.reset()[0] if over else nxt
        if step > 500:
            o, a, r, o2, end = memory.sample(64)
            with torch.no_grad():
                target = r.float() + gamma * (1 - end.float()) * slow(o2).amax(1)
            loss = nn.functional.smooth_l1_loss(q(o).gather(1, a.unsqueeze(1)).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % 200 == 0:
            slow.load_state_dict(q.state_dict())


if __name__ == "__main__":
    main()
