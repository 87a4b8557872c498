"""Synchronous advantage actor-critic over a SyncVectorEnv."""
from __future__ import annotations

import argparse
import dataclasses
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


@dataclass
class Config:
    env: str = "CartPole-v1"
    total_steps: int = 60_000
    seed: int = 0
    num_envs: int = 8
    rollout: int = 32
    gamma: float = 0.99
    lr: float = 2e-3
    value_coef: float = 0.5
    entropy_coef: float = 0.01
    max_grad_norm: float = 0.5
    hidden: int = 64
    log_interval: int = 40

    @classmethod
    def from_args(cls) -> "Config":
        parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        for field in dataclasses.fields(cls):
            parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default), default=field.default)
        return cls(**vars(parser.parse_args()))


class ActorCritic(nn.Module):
    def __init__(self, obs_dim: int, n_actions: int, hidden: int):
        super().__init__()
        self.actor = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, n_actions)
        )
        self.critic = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, obs):
        return Categorical(logits=self.actor(obs)), self.critic(obs).squeeze(-1)


def make_env(env_id):
    def thunk():
        env = gym.make(env_id)
        env = gym.wrappers.FlattenObservation(env)
        return gym.wrappers.RecordEpisodeStatistics(env)

    return thunk


class Runner:
    """Steps the vector environment and keeps its state between rollouts."""

    def __init__(self, envs, model, cfg):
        self.envs, self.model, self.cfg = envs, model, cfg
        obs, _ = envs.reset(seed=cfg.seed)
        self.obs = torch.as_tensor(obs, dtype=torch.float32)
        # the step that follows an episode's end only resets that sub-environment (gymnasium's next-step autoreset)
        self.resetting = np.zeros(cfg.num_envs, dtype=bool)
        self.returns = deque(maxlen=100)

    def collect(self):
        batch = {k: [] for k in ("obs", "actions", "rewards", "terminated", "ended", "valid")}
        for _ in range(self.cfg.rollout):
            with torch.no_grad():
                dist, _ = self.model(self.obs)
            action = dist.sample()
            next_obs, reward, terminated, truncated, info = self.envs.step(action.numpy())
            batch["obs"].append(self.obs)
            batch["actions"].append(action)
            batch["rewards"].append(torch.as_tensor(reward, dtype=torch.float32))
            batch["terminated"].append(torch.as_tensor(terminated, dtype=torch.float32))
            batch["ended"].append(torch.as_tensor(terminated | truncated))
            batch["valid"].append(torch.as_tensor(~self.resetting, dtype=torch.float32))
            if "episode" in info:
                self.returns.extend(info["episode"]["r"][info["_episode"]])
            self.resetting = terminated | truncated
            self.obs = torch.as_tensor(next_obs, dtype=torch.float32)
        return {k: torch.stack(v) for k, v in batch.items()}


def compute_targets(batch, values, last_value, gamma):
    """n-step returns. values[t + 1] is the value of the observation that step t led to."""
    following = torch.cat([values[1:], last_value.unsqueeze(0)])
    targets = []
    ret = last_value
    for t in reversed(range(len(values))):
        ret = torch.where(batch["ended"][t], following[t], ret)
        ret = batch["rewards"][t] + gamma * (1.0 - batch["terminated"][t]) * ret
        targets.append(ret)
    targets.reverse()
    return torch.stack(targets)


def train(cfg: Config):
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    envs = gym.vector.SyncVectorEnv([make_env(cfg.env) for _ in range(cfg.num_envs)])
    obs_dim = envs.single_observation_space.shape[0]
    model = ActorCritic(obs_dim, envs.single_action_space.n, cfg.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr, eps=1e-5)
    runner = Runner(envs, model, cfg)

    n_updates = max(1, cfg.total_steps // (cfg.num_envs * cfg.rollout))
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=n_updates)
    for update in range(1, n_updates + 1):
        batch = runner.collect()
        T, N = batch["rewards"].shape
        dist, values = model(batch["obs"].reshape(T * N, obs_dim))
        with torch.no_grad():
            _, last_value = model(runner.obs)
            targets = compute_targets(batch, values.view(T, N), last_value, cfg.gamma).reshape(-1)

        valid = batch["valid"].reshape(-1)
        count = valid.sum().clamp(min=1.0)
        advantage = targets - values.detach()
        kept = advantage[valid > 0]
        advantage = (advantage - kept.mean()) / (kept.std() + 1e-8)
        policy_loss = -(dist.log_prob(batch["actions"].reshape(-1)) * advantage * valid).sum() / count
        value_loss = ((targets - values).pow(2) * valid).sum() / count
        entropy = (dist.entropy() * valid).sum() / count
        loss = policy_loss + cfg.value_coef * value_loss - cfg.entropy_coef * entropy

        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.actor.parameters(), cfg.max_grad_norm)
        nn.utils.clip_grad_norm_(model.critic.parameters(), cfg.max_grad_norm)
        optimizer.step()
        scheduler.step()

        if update % cfg.log_interval == 0 or update == n_updates:
            mean_ret = np.mean(runner.returns) if runner.returns else float("nan")
            print(f"[{update * T * N:>8d}] return={mean_ret:.1f} policy={policy_loss.item():+.3f} "
                  f"value={value_loss.item():.3f} entropy={entropy.item():.3f}")
    envs.close()


if __name__ == "__main__":
    train(Config.from_args())
