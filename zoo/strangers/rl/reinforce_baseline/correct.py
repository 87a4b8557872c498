"""Homework 2: policy gradients with reward-to-go and a learned state-value baseline.

    python reinforce.py --env_name CartPole-v1 --total_steps 60000 --seed 1
"""
import argparse
import random
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim


def build_mlp(in_size, out_size, n_layers=2, size=64):
    layers = []
    for _ in range(n_layers):
        layers += [nn.Linear(in_size, size), nn.Tanh()]
        in_size = size
    layers.append(nn.Linear(in_size, out_size))
    return nn.Sequential(*layers)


class PolicyNet:
    def __init__(self, ob_dim, ac_dim, lr):
        self.net = build_mlp(ob_dim, ac_dim)
        self.optimizer = optim.Adam(self.net.parameters(), lr=lr)

    def log_probs(self, obs):
        return F.log_softmax(self.net(obs), dim=-1)

    @torch.no_grad()
    def get_action(self, ob):
        logp = self.log_probs(torch.as_tensor(ob, dtype=torch.float32))
        return torch.multinomial(logp.exp(), 1).item()

    def update(self, obs, acs, advantages):
        logp = self.log_probs(obs).gather(1, acs.unsqueeze(1)).squeeze(1)
        loss = -(logp * advantages).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


class ValueBaseline:
    def __init__(self, ob_dim, lr, gradient_steps):
        self.net = build_mlp(ob_dim, 1)
        self.optimizer = optim.Adam(self.net.parameters(), lr=lr)
        self.gradient_steps = gradient_steps

    @torch.no_grad()
    def predict(self, obs):
        return self.net(obs).squeeze(-1)

    def update(self, obs, q_values):
        for _ in range(self.gradient_steps):
            loss = F.mse_loss(self.net(obs).squeeze(-1), q_values)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


def sample_trajectory(env, policy, max_path_length):
    ob, _ = env.reset()
    obs, acs, rews = [], [], []
    while True:
        ac = policy.get_action(ob)
        obs.append(ob)
        acs.append(ac)
        ob, rew, terminated, truncated, _ = env.step(ac)
        rews.append(float(rew))
        if terminated or truncated or len(rews) >= max_path_length:
            break
    return {
        "observation": np.array(obs, dtype=np.float32),
        "action": np.array(acs, dtype=np.int64),
        "reward": np.array(rews, dtype=np.float32),
        "last_ob": np.array(ob, dtype=np.float32),
        "terminated": terminated,
    }


def sample_trajectories(env, policy, min_timesteps, max_path_length):
    paths, timesteps = [], 0
    while timesteps < min_timesteps:
        path = sample_trajectory(env, policy, max_path_length)
        paths.append(path)
        timesteps += len(path["reward"])
    return paths, timesteps


def reward_to_go(rews, gamma, tail):
    q = np.zeros_like(rews)
    running = tail
    for t in reversed(range(len(rews))):
        running = rews[t] + gamma * running
        q[t] = running
    return q


def main(args):
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = gym.wrappers.FlattenObservation(gym.make(args.env_name))
    env.reset(seed=args.seed)
    ob_dim = env.observation_space.shape[0]
    policy = PolicyNet(ob_dim, env.action_space.n, args.lr)
    baseline = ValueBaseline(ob_dim, args.baseline_lr, args.baseline_gradient_steps)

    total, itr, start = 0, 0, time.time()
    while total < args.total_steps:
        paths, n = sample_trajectories(env, policy, args.batch_size, args.ep_len)
        total += n

        q_values = []
        for path in paths:
            # a path that was cut by a time limit keeps on earning after its last recorded step
            tail = 0.0 if path["terminated"] else baseline.predict(torch.from_numpy(path["last_ob"])).item()
            q_values.append(reward_to_go(path["reward"], args.discount, tail))

        obs = torch.from_numpy(np.concatenate([p["observation"] for p in paths]))
        acs = torch.from_numpy(np.concatenate([p["action"] for p in paths]))
        q_values = torch.from_numpy(np.concatenate(q_values))

        advantages = q_values - baseline.predict(obs)
        if len(advantages) > 1:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

        pg_loss = policy.update(obs, acs, advantages)
        bl_loss = baseline.update(obs, q_values)

        if itr % args.log_every == 0:
            rets = [p["reward"].sum() for p in paths]
            print(f"itr {itr:3d} | steps {total:6d} | Train_AverageReturn {np.mean(rets):8.2f} | Train_MaxReturn "
                  f"{np.max(rets):8.2f} | pg {pg_loss:+.4f} | baseline {bl_loss:.3f} | {time.time() - start:.1f}s")
        itr += 1

    rets = [p["reward"].sum() for p in paths]
    print(f"Final Train_AverageReturn: {np.mean(rets):.2f}")
    env.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env_name", type=str, default="CartPole-v1")
    parser.add_argument("--total_steps", type=int, default=60000)
    parser.add_argument("--batch_size", "-b", type=int, default=1000)
    parser.add_argument("--ep_len", type=int, default=1000)
    parser.add_argument("--discount", type=float, default=0.99)
    parser.add_argument("--lr", "-lr", type=float, default=5e-3)
    parser.add_argument("--baseline_lr", type=float, default=5e-3)
    parser.add_argument("--baseline_gradient_steps", type=int, default=20)
    parser.add_argument("--log_every", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    main(parser.parse_args())
