"""Double DQN for a kiosk that reorders sandwiches every evening."""
import collections
import copy
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DEMAND = np.array([4, 4, 5, 5, 7, 10, 2])       # mean sales Mon..Sun
CAP, HORIZON = 20, 35


class Kiosk(gym.Env):
    """State: shelf stock and weekday. Action a orders 2*a sandwiches for the next morning."""

    def __init__(self):
        self.action_space = gym.spaces.Discrete(7)
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (8,), np.float32)

    def _obs(self):
        o = np.zeros(8, np.float32)
        o[0] = self.stock / CAP * 2 - 1
        o[1 + self.day % 7] = 1.0
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock, self.day, self.left = int(self.np_random.integers(0, 10)), int(self.np_random.integers(0, 7)), HORIZON
        return self._obs(), {}

    def step(self, action):
        order = 2 * int(action)
        self.stock = min(CAP, self.stock + order)
        want = int(self.np_random.poisson(DEMAND[self.day % 7]))
        sold = min(self.stock, want)
        self.stock -= sold
        reward = 3.0 * sold - 1.0 * order - 0.5 * (order > 0) - 0.4 * self.stock - 0.5 * (want - sold)
        self.day += 1
        self.left -= 1
        return self._obs(), reward / 10.0, False, self.left == 0, {}


class Replay:
    def __init__(self, size):
        self.data = collections.deque(maxlen=size)

    def push(self, *item):
        self.data.append(item)

    def sample(self, n):
        s, a, r, s2 = zip(*random.sample(self.data, n))
        return (torch.from_numpy(np.stack(s)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.from_numpy(np.stack(s2)))


def q_net():
    return nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 7))


def average_return(policy, episodes=60):
    env, total = Kiosk(), 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=10_000 + k)
        over = False
        while not over:
            obs, r, terminated, truncated, _ = env.step(policy(obs))
            total += r
            over = terminated or truncated
    return total / episodes


def main(steps=5000, gamma=0.9, batch=64, sync=250, warmup=500):
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env, memory = Kiosk(), Replay(5000)
    online = q_net()
    target = copy.deepcopy(online).eval().requires_grad_(False)
    opt = torch.optim.Adam(online.parameters(), lr=1e-3)

    @torch.no_grad()
    def greedy(obs):
        return int(online(torch.from_numpy(obs).unsqueeze(0)).argmax(1).item())

    obs, _ = env.reset(seed=0)
    episode, recent = 0.0, collections.deque(maxlen=20)
    for step in range(1, steps + 1):
        eps = max(0.05, 1 - step / (0.6 * steps))
        action = random.randrange(7) if random.random() < eps else greedy(obs)
        nxt, reward, _, truncated, _ = env.step(action)
        # the kiosk never closes; an episode only ends by the time limit, so the value continues
        memory.push(obs, action, reward, nxt)
        episode += reward
        obs = nxt
        if truncated:
            recent.append(episode)
            episode = 0.0
            obs, _ = env.reset()

        if step >= warmup:
            s, a, r, s2 = memory.sample(batch)
            with torch.no_grad():
                best = online(s2).argmax(1, keepdim=True)
                goal = r + gamma * target(s2).gather(1, best).squeeze(1)
            q = online(s).gather(1, a.unsqueeze(1)).squeeze(1)
            loss = F.smooth_l1_loss(q, goal)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(online.parameters(), 5.0)
            opt.step()
        if step % sync == 0:
            target.load_state_dict(online.state_dict())
        if step % 1000 == 0:
            print(f"step {step}  eps {eps:.2f}  td loss {loss.item():.4f}  mean return (explore) {np.mean(recent):.2f}")

    dice = random.Random(1)
    constant = max(average_return(lambda o, a=a: a) for a in range(7))
    print(f"average return over 60 fresh episodes: dqn {average_return(greedy):.2f}, "
          f"best constant order {constant:.2f}, random {average_return(lambda o: dice.randrange(7)):.2f}")


if __name__ == "__main__":
    main()
