"""Double DQN that decides when to service a machine.

The machine runs for years; for training the simulator is cut into short shifts with gymnasium's TimeLimit.
The policy is judged by its mean profit per hour over long uninterrupted runs.
"""
import gymnasium as gym
import numpy as np
import torch
from torch import nn

RUN, SLOW, SERVICE = range(3)


class MachineEnv(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        return np.array([2 * self.wear - 1, self.load], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wear = self.np_random.uniform(0, 1)
        self.load = self.np_random.uniform(-1, 1)
        return self._obs(), {}

    def step(self, action):
        if action == SERVICE:
            self.wear, reward = 0.0, -2.4
        else:
            speed = 1.0 if action == RUN else 0.5
            reward = 0.4 * speed * (1.0 + 0.2 * self.load - 1.2 * self.wear)
            self.wear = min(1.0, self.wear + speed * self.np_random.uniform(0.03, 0.07))
        self.load = float(np.clip(0.8 * self.load + self.np_random.normal(0, 0.3), -1, 1))
        return self._obs(), reward, False, False, {}


class Replay:
    def __init__(self, size, n_obs, seed):
        self.obs, self.next_obs = np.zeros((size, n_obs), np.float32), np.zeros((size, n_obs), np.float32)
        self.act, self.rew = np.zeros(size, np.int64), np.zeros(size, np.float32)
        self.end = np.zeros(size, np.float32)
        self.size, self.n, self.rng = size, 0, np.random.default_rng(seed)

    def add(self, obs, act, rew, next_obs, end):
        i = self.n % self.size
        self.obs[i], self.act[i], self.rew[i], self.next_obs[i], self.end[i] = obs, act, rew, next_obs, end
        self.n += 1

    def sample(self, k):
        i = self.rng.integers(0, min(self.n, self.size), size=k)
        return [torch.from_numpy(a[i]) for a in (self.obs, self.act, self.rew, self.next_obs, self.end)]


def mlp():
    return nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))


def profit_per_hour(q, seed, hours=400, runs=10):
    total = 0.0
    for k in range(runs):
        env = MachineEnv()
        obs, _ = env.reset(seed=seed + k)
        for _ in range(hours):
            with torch.no_grad():
                action = int(q(torch.from_numpy(obs)).argmax())
            obs, reward, *_ = env.step(action)
            total += reward
    return total / (hours * runs)


def main(seed=0, steps=18_000, gamma=0.97, batch=64, shift=8):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env = gym.wrappers.TimeLimit(MachineEnv(), max_episode_steps=shift)
    q, q_target = mlp(), mlp()
    q_target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    buffer = Replay(20_000, 2, seed)

    obs, _ = env.reset(seed=seed)
    running = []
    for step in range(1, steps + 1):
        eps = max(0.15, 1.0 - step / (0.5 * steps))
        if rng.random() < eps:
            action = int(rng.integers(3))
        else:
            with torch.no_grad():
                action = int(q(torch.from_numpy(obs)).argmax())
        next_obs, reward, terminated, truncated, _ = env.step(action)
        done = terminated or truncated
        buffer.add(obs, action, reward, next_obs, done)
        obs = next_obs
        if done:
            obs, _ = env.reset()

        if step > 500 and step % 3 == 0:
            o, a, r, o2, end = buffer.sample(batch)
            with torch.no_grad():
                choice = q(o2).argmax(1, keepdim=True)
                target = r + gamma * (1 - end) * q_target(o2).gather(1, choice).squeeze(1)
            loss = nn.functional.smooth_l1_loss(q(o).gather(1, a.unsqueeze(1)).squeeze(1), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running.append(loss.item())
            with torch.no_grad():
                for p, pt in zip(q.parameters(), q_target.parameters()):
                    pt.lerp_(p, 0.01)

        if step % 3000 == 0:
            print(f"step {step:6d}  td loss {np.mean(running[-500:]):.5f}  mean target {target.mean():.2f}  eps {eps:.2f}")

    print(f"profit per hour: trained {profit_per_hour(q, seed=5000):.3f}, always running "
          f"{profit_per_hour(lambda o: torch.tensor([1.0, 0.0, 0.0]), seed=5000):.3f}")


if __name__ == "__main__":
    main()
