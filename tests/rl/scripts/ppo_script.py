# ruff: noqa
# mypy: ignore-errors
"""A single-file PPO as people write them: command line, vector environment, one network for actor and critic."""

import argparse
import random

import gymnasium as gym
import numpy as np
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        width = int(np.prod(envs.single_observation_space.shape))
        self.critic = nn.Sequential(nn.Linear(width, 32), nn.Tanh(), nn.Linear(32, 1))
        self.actor = nn.Sequential(nn.Linear(width, 32), nn.Tanh(), nn.Linear(32, envs.single_action_space.n))

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        choice = torch.distributions.Categorical(logits=self.actor(x))
        action = choice.sample() if action is None else action
        return action, choice.log_prob(action), choice.entropy(), self.critic(x)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env-id", default="CartPole-v1")
    parser.add_argument("--total-timesteps", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--num-envs", type=int, default=4)
    parser.add_argument("--num-steps", type=int, default=32)
    parser.add_argument("--autoreset", default="same")
    parser.add_argument("--flip", action="store_true")
    return parser.parse_args()


def main():
    args = parse()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    mode = (
        gym.vector.AutoresetMode.SAME_STEP if args.autoreset == "same" else gym.vector.AutoresetMode.NEXT_STEP
    )
    envs = gym.vector.SyncVectorEnv([lambda: gym.make(args.env_id)] * args.num_envs, autoreset_mode=mode)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=5e-3)
    obs, _ = envs.reset(seed=args.seed)
    obs = torch.tensor(obs)
    for _ in range(args.total_timesteps // (args.num_envs * args.num_steps)):
        store = {key: [] for key in ("obs", "action", "logp", "reward", "done", "value")}
        for _ in range(args.num_steps):
            with torch.no_grad():
                action, logp, _, value = agent.get_action_and_value(obs)
            fresh, reward, terminated, truncated, infos = envs.step(action.numpy())
            reward = torch.tensor(reward, dtype=torch.float32)
            if truncated.any() and "final_obs" in infos:
                for i in np.flatnonzero(truncated):
                    with torch.no_grad():
                        final = torch.tensor(infos["final_obs"][i], dtype=torch.float32)
                        reward[i] += args.gamma * agent.get_value(final[None]).item()
            row = (obs, action, logp, reward, torch.tensor(terminated | truncated).float(), value[:, 0])
            for key, part in zip(store, row):
                store[key].append(part)
            obs = torch.tensor(fresh)
        batch = {key: torch.stack(parts) for key, parts in store.items()}
        with torch.no_grad():
            following = agent.get_value(obs)[:, 0]
        advantage, running = torch.zeros_like(batch["reward"]), 0.0
        for t in reversed(range(args.num_steps)):
            alive = 1.0 - batch["done"][t]
            delta = batch["reward"][t] + args.gamma * following * alive - batch["value"][t]
            running = delta + args.gamma * 0.95 * alive * running
            advantage[t] = running
            following = batch["value"][t]
        target = advantage + batch["value"]
        flat = {key: part.flatten(0, 1) for key, part in batch.items()}
        advantage, target = advantage.flatten(), target.flatten()
        sign = -1.0 if args.flip else 1.0
        for _ in range(4):
            for index in torch.randperm(len(target)).split(64):
                _, logp, entropy, value = agent.get_action_and_value(
                    flat["obs"][index], flat["action"][index]
                )
                adv = advantage[index]
                adv = sign * (adv - adv.mean()) / (adv.std() + 1e-8)
                ratio = (logp - flat["logp"][index]).exp()
                policy = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
                loss = policy + 0.5 * ((value[:, 0] - target[index]) ** 2).mean() - 0.01 * entropy.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()


if __name__ == "__main__":
    main()
