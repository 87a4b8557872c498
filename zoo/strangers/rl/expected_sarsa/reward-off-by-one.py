"""
Expected SARSA(lambda) with a normalised MLP, many environments and neither replay buffer nor target network.

usage: expected_sarsa.py [ENV] --steps N --seed S
"""
import argparse
import sys

import gymnasium as gym
import numpy as np
import torch
from torch import nn


def parse(argv):
    ap = argparse.ArgumentParser()
    ap.add_argument("env", nargs="?", default="CartPole-v1")
    ap.add_argument("--steps", type=int, default=150_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--envs", type=int, default=16)
    ap.add_argument("--horizon", type=int, default=32)
    ap.add_argument("--gamma", type=float, default=0.99)
    ap.add_argument("--lam", type=float, default=0.9)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--minibatches", type=int, default=4)
    ap.add_argument("--eps", type=float, nargs=2, default=(1.0, 0.05), metavar=("START", "END"))
    ap.add_argument("--eps-decay", type=float, default=0.3, help="fraction of training over which epsilon decays")
    return ap.parse_args(argv)


def q_network(obs_dim, n_actions, width=128):
    return nn.Sequential(
        nn.Linear(obs_dim, width), nn.LayerNorm(width), nn.ReLU(),
        nn.Linear(width, width), nn.LayerNorm(width), nn.ReLU(),
        nn.Linear(width, n_actions),
    )


def linear_schedule(start, end, progress, duration):
    slope = min(progress / duration, 1.0)
    return start + (end - start) * slope


def epsilon_greedy(q, eps, rng):
    n_envs, n_actions = q.shape
    greedy = q.argmax(dim=1).numpy()
    explore = rng.random(n_envs) < eps
    return np.where(explore, rng.integers(n_actions, size=n_envs), greedy)


def expected_value(q, eps):
    return (1.0 - eps) * q.max(dim=-1).values + eps * q.mean(dim=-1)


def lambda_returns(rewards, terminated, ended, next_values, gamma, lam):
    out = torch.zeros_like(rewards)
    g = next_values[-1]
    for t in range(len(rewards) - 1, -1, -1):
        g = torch.where(ended[t], next_values[t], g)
        mixed = (1.0 - lam) * next_values[t] + lam * g
        g = rewards[t] + gamma * (1.0 - terminated[t]) * mixed
        out[t] = g
    return out


def to_obs(x):
    return torch.as_tensor(np.asarray(x, dtype=np.float32)).flatten(1)


def main(argv=None):
    a = parse(argv)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    envs = gym.vector.SyncVectorEnv([lambda: gym.make(a.env) for _ in range(a.envs)])
    n_actions = int(envs.single_action_space.n)
    obs_dim = int(np.prod(envs.single_observation_space.shape))
    net = q_network(obs_dim, n_actions)
    opt = torch.optim.RAdam(net.parameters(), lr=a.lr)

    T, N = a.horizon, a.envs
    obs_buf = torch.zeros(T + 1, N, obs_dim)
    act_buf = torch.zeros(T, N, dtype=torch.long)
    rew_buf = torch.zeros(T, N)
    term_buf = torch.zeros(T, N)
    end_buf = torch.zeros(T, N, dtype=torch.bool)
    live_buf = torch.zeros(T, N, dtype=torch.bool)

    obs = to_obs(envs.reset(seed=a.seed)[0])
    reward, was_over = np.zeros(N), np.zeros(N, dtype=bool)
    running, finished = np.zeros(N), []
    n_iters = max(1, a.steps // (T * N))

    for it in range(n_iters):
        eps = linear_schedule(a.eps[0], a.eps[1], it / n_iters, a.eps_decay)
        for t in range(T):
            with torch.no_grad():
                action = epsilon_greedy(net(obs), eps, rng)
            obs_buf[t] = obs
            act_buf[t] = torch.from_numpy(action)
            rew_buf[t] = torch.as_tensor(reward, dtype=torch.float32)
            # sub-environments whose episode ended on the last step spend this one on their reset
            live_buf[t] = torch.from_numpy(~was_over)
            next_obs, reward, terminated, truncated, _ = envs.step(action)
            over = terminated | truncated
            term_buf[t] = torch.as_tensor(terminated, dtype=torch.float32)
            end_buf[t] = torch.from_numpy(over)
            running += reward
            finished.extend(running[over])
            running[over] = 0.0
            was_over = over
            obs = to_obs(next_obs)
        obs_buf[T] = obs

        with torch.no_grad():
            next_values = expected_value(net(obs_buf[1:]), eps)
            targets = lambda_returns(rew_buf, term_buf, end_buf, next_values, a.gamma, a.lam)

        keep = live_buf.flatten()
        x, u, y = obs_buf[:-1].flatten(0, 1)[keep], act_buf.flatten()[keep], targets.flatten()[keep]
        losses = []
        for _ in range(a.epochs):
            for idx in torch.randperm(len(x)).chunk(a.minibatches):
                q = net(x[idx]).gather(1, u[idx, None])[:, 0]
                loss = 0.5 * (q - y[idx]).pow(2).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 10.0)
                opt.step()
                losses.append(loss.item())

        if (it + 1) % max(1, n_iters // 15) == 0:
            score = np.mean(finished[-50:]) if finished else float("nan")
            print(f"{(it + 1) * T * N:>8} steps  eps={eps:.2f}  loss={np.mean(losses):.3f}  Q={y.mean().item():.2f}  "
                  f"return={score:.1f}", flush=True)
    envs.close()
    return finished


if __name__ == "__main__":
    main(sys.argv[1:])
