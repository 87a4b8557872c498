# ruff: noqa
# mypy: ignore-errors
"""DQN as one flat script, for vector environments that reset within the same step: the buffer gets the final
observation, and a time limit is no end."""

import argparse
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--env-id", type=str, default="CartPole-v1")
    parser.add_argument("--total-timesteps", type=int, default=500000)
    parser.add_argument("--learning-rate", type=float, default=2.5e-4)
    parser.add_argument("--buffer-size", type=int, default=10000)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--target-network-frequency", type=int, default=500)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--start-e", type=float, default=1)
    parser.add_argument("--end-e", type=float, default=0.05)
    parser.add_argument("--exploration-fraction", type=float, default=0.5)
    parser.add_argument("--learning-starts", type=int, default=10000)
    parser.add_argument("--train-frequency", type=int, default=10)
    return parser.parse_args()


class QNetwork(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(np.array(env.single_observation_space.shape).prod(), 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
            nn.Linear(84, env.single_action_space.n),
        )

    def forward(self, x):
        return self.network(x)


def linear_schedule(start_e, end_e, duration, t):
    return max((end_e - start_e) / duration * t + start_e, end_e)


if __name__ == "__main__":
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make(args.env_id)], autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
    )
    envs.single_action_space.seed(args.seed)
    q_network = QNetwork(envs)
    optimizer = optim.Adam(q_network.parameters(), lr=args.learning_rate)
    target_network = QNetwork(envs)
    target_network.load_state_dict(q_network.state_dict())

    width = (args.buffer_size,) + envs.single_observation_space.shape
    b_obs, b_next = np.zeros(width, np.float32), np.zeros(width, np.float32)
    b_actions = np.zeros(args.buffer_size, np.int64)
    b_rewards = np.zeros(args.buffer_size, np.float32)
    b_dones = np.zeros(args.buffer_size, np.float32)

    obs, _ = envs.reset(seed=args.seed)
    for global_step in range(args.total_timesteps):
        epsilon = linear_schedule(
            args.start_e, args.end_e, args.exploration_fraction * args.total_timesteps, global_step
        )
        if random.random() < epsilon:
            actions = np.array([envs.single_action_space.sample() for _ in range(envs.num_envs)])
        else:
            actions = torch.argmax(q_network(torch.Tensor(obs)), dim=1).cpu().numpy()
        next_obs, rewards, terminations, truncations, infos = envs.step(actions)
        real_next_obs = next_obs.copy()
        for idx in np.flatnonzero(np.logical_or(terminations, truncations)):
            real_next_obs[idx] = infos["final_obs"][idx]
        row = global_step % args.buffer_size
        b_obs[row], b_next[row], b_actions[row] = obs[0], real_next_obs[0], actions[0]
        b_rewards[row], b_dones[row] = rewards[0], terminations[0]
        obs = next_obs

        if global_step > args.learning_starts:
            if global_step % args.train_frequency == 0:
                pick = np.random.randint(0, min(global_step, args.buffer_size), args.batch_size)
                with torch.no_grad():
                    target_max, _ = target_network(torch.tensor(b_next[pick])).max(dim=1)
                    td_target = torch.tensor(b_rewards[pick]) + args.gamma * target_max * (
                        1 - torch.tensor(b_dones[pick])
                    )
                old_val = q_network(torch.tensor(b_obs[pick])).gather(
                    1, torch.tensor(b_actions[pick])[:, None]
                )
                loss = F.mse_loss(td_target, old_val.squeeze())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if global_step % args.target_network_frequency == 0:
                target_network.load_state_dict(q_network.state_dict())
    envs.close()
