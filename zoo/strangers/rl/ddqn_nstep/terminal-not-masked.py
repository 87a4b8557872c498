import argparse
import collections
import copy
import logging

import gymnasium as gym
import numpy as np
import torch
from torch import nn

log = logging.getLogger("ddqn")


class NStepAccumulator:
    """Turns single transitions into n-step ones: (s_t, a_t, R_t^(k), s_{t+k}, bootstrap discount)."""

    def __init__(self, n, gamma):
        self.n = n
        self.gamma = gamma
        self.window = collections.deque()

    def _emit(self, next_obs, terminated):
        obs, action, _ = self.window[0]
        ret = 0.0
        for _, _, reward in reversed(self.window):
            ret = reward + self.gamma * ret
        discount = self.gamma ** len(self.window)
        self.window.popleft()
        return obs, action, ret, next_obs, discount

    def add(self, obs, action, reward, next_obs, terminated, truncated):
        self.window.append((obs, action, reward))
        if terminated or truncated:
            while self.window:
                yield self._emit(next_obs, terminated)
        elif len(self.window) == self.n:
            yield self._emit(next_obs, False)


class RingBuffer:
    def __init__(self, capacity, obs_dim, rng):
        self.obs = np.empty((capacity, obs_dim), np.float32)
        self.next_obs = np.empty((capacity, obs_dim), np.float32)
        self.action = np.empty(capacity, np.int64)
        self.ret = np.empty(capacity, np.float32)
        self.discount = np.empty(capacity, np.float32)
        self.capacity, self.size, self.pos, self.rng = capacity, 0, 0, rng

    def add(self, obs, action, ret, next_obs, discount):
        i = self.pos
        self.obs[i], self.action[i], self.ret[i] = obs, action, ret
        self.next_obs[i], self.discount[i] = next_obs, discount
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, k):
        idx = self.rng.integers(self.size, size=k)
        return [torch.from_numpy(a[idx]) for a in (self.obs, self.action, self.ret, self.next_obs, self.discount)]


class DuelingQ(nn.Module):
    def __init__(self, obs_dim, n_actions, width):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(obs_dim, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.value = nn.Linear(width, 1)
        self.advantage = nn.Linear(width, n_actions)

    def forward(self, obs):
        h = self.torso(obs)
        adv = self.advantage(h)
        return self.value(h) + adv - adv.mean(dim=1, keepdim=True)


class Agent:
    def __init__(self, obs_dim, n_actions, args):
        self.rng = np.random.default_rng(args.seed)
        self.args = args
        self.n_actions = n_actions
        self.online = DuelingQ(obs_dim, n_actions, args.width)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=args.lr)
        self.acc = NStepAccumulator(args.n_step, args.gamma)
        self.buffer = RingBuffer(args.buffer_size, obs_dim, self.rng)
        self.updates = 0

    def epsilon(self, step):
        frac = min(1.0, step / max(1, self.args.explore_steps))
        return 1.0 + frac * (self.args.final_epsilon - 1.0)

    @torch.no_grad()
    def act(self, obs, step):
        if self.rng.random() < self.epsilon(step):
            return int(self.rng.integers(self.n_actions))
        return int(self.online(torch.from_numpy(obs)[None])[0].argmax())

    def observe(self, *transition):
        for item in self.acc.add(*transition):
            self.buffer.add(*item)

    def learn(self):
        obs, action, ret, next_obs, discount = self.buffer.sample(self.args.batch)
        rows = torch.arange(len(action))
        with torch.no_grad():
            best = self.online(next_obs).argmax(dim=1)
            target = ret + discount * self.target(next_obs)[rows, best]
        td = self.online(obs)[rows, action] - target
        loss = nn.functional.huber_loss(td, torch.zeros_like(td))
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.opt.step()
        self.updates += 1
        if self.updates % self.args.sync_every == 0:
            self.target.load_state_dict(self.online.state_dict())
        return loss.item()


def run(args):
    torch.manual_seed(args.seed)
    env = gym.wrappers.FlattenObservation(gym.make(args.env_name))
    agent = Agent(env.observation_space.shape[0], int(env.action_space.n), args)

    returns, score, loss = collections.deque(maxlen=25), 0.0, float("nan")
    obs, _ = env.reset(seed=args.seed)
    obs = np.asarray(obs, np.float32)
    for step in range(args.total_steps):
        action = agent.act(obs, step)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        next_obs = np.asarray(next_obs, np.float32)
        agent.observe(obs, action, float(reward), next_obs, terminated, truncated)
        score += float(reward)
        if terminated or truncated:
            returns.append(score)
            score = 0.0
            obs, _ = env.reset()
            obs = np.asarray(obs, np.float32)
        else:
            obs = next_obs
        if step >= args.learn_start and step % args.learn_every == 0:
            loss = agent.learn()
        if (step + 1) % args.log_every == 0:
            log.info("step=%d eps=%.3f return=%.1f loss=%.4f buffer=%d", step + 1, agent.epsilon(step),
                     np.mean(returns) if returns else float("nan"), loss, agent.buffer.size)
    env.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    p = argparse.ArgumentParser(description="double DQN, dueling head, n-step returns")
    p.add_argument("--env_name", default="CartPole-v1")
    p.add_argument("--total_steps", type=int, default=25_000)
    p.add_argument("--seed", type=int, default=3)
    p.add_argument("--n_step", type=int, default=3)
    p.add_argument("--gamma", type=float, default=0.99)
    p.add_argument("--lr", type=float, default=5e-4)
    p.add_argument("--width", type=int, default=64)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--buffer_size", type=int, default=20_000)
    p.add_argument("--learn_start", type=int, default=500)
    p.add_argument("--learn_every", type=int, default=2)
    p.add_argument("--sync_every", type=int, default=100)
    p.add_argument("--explore_steps", type=int, default=5_000)
    p.add_argument("--final_epsilon", type=float, default=0.05)
    p.add_argument("--log_every", type=int, default=2_500)
    run(p.parse_args())
