# Soft actor-critic for Box actions
import argparse
import os
import random
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

LOG_STD_MAX = 2
LOG_STD_MIN = -5


def strtobool(s):
    return s.lower() in ("1", "true", "yes")


class SoftQNetwork(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim + act_dim, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, 1)

    def forward(self, x, a):
        x = torch.cat([x, a], 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x).squeeze(-1)


class Actor(nn.Module):
    def __init__(self, obs_dim, action_space, hidden):
        super().__init__()
        act_dim = int(np.prod(action_space.shape))
        self.fc1 = nn.Linear(obs_dim, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc_mean = nn.Linear(hidden, act_dim)
        self.fc_logstd = nn.Linear(hidden, act_dim)
        high = torch.tensor(action_space.high, dtype=torch.float32).flatten()
        low = torch.tensor(action_space.low, dtype=torch.float32).flatten()
        self.register_buffer("action_scale", (high - low) / 2.0)
        self.register_buffer("action_bias", (high + low) / 2.0)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        mean = self.fc_mean(x)
        log_std = torch.tanh(self.fc_logstd(x))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        return mean, log_std

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        x_t = normal.rsample()
        y_t = torch.tanh(x_t)
        action = y_t * self.action_scale + self.action_bias
        log_prob = normal.log_prob(x_t)
        log_prob = log_prob - torch.log(self.action_scale * (1 - y_t.pow(2)) + 1e-6)
        return action, log_prob.sum(1)


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim):
        self.obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.actions = np.zeros((size, act_dim), dtype=np.float32)
        self.rewards = np.zeros(size, dtype=np.float32)
        self.terminations = np.zeros(size, dtype=np.float32)
        self.ptr, self.full, self.size = 0, False, size

    def add(self, obs, next_obs, action, reward, termination):
        self.obs[self.ptr] = np.ravel(obs)
        self.next_obs[self.ptr] = np.ravel(next_obs)
        self.actions[self.ptr] = np.ravel(action)
        self.rewards[self.ptr] = reward
        self.terminations[self.ptr] = termination
        self.ptr = (self.ptr + 1) % self.size
        self.full = self.full or self.ptr == 0

    def sample(self, n):
        idx = np.random.randint(0, self.size if self.full else self.ptr, size=n)
        return [torch.from_numpy(x[idx]) for x in (self.obs, self.next_obs, self.actions, self.rewards, self.terminations)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--exp-name", default=os.path.basename(__file__).removesuffix(".py"))
    parser.add_argument("--env-id", default="Pendulum-v1")
    parser.add_argument("--total-timesteps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--buffer-size", type=int, default=100000)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--tau", type=float, default=0.01)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--learning-starts", type=int, default=500)
    parser.add_argument("--policy-lr", type=float, default=1e-3)
    parser.add_argument("--q-lr", type=float, default=2e-3)
    parser.add_argument("--alpha", type=float, default=0.2)
    parser.add_argument("--autotune", type=strtobool, default=True, help="tune the entropy coefficient")
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = gym.wrappers.RecordEpisodeStatistics(gym.make(args.env_id))
    env.action_space.seed(args.seed)
    assert isinstance(env.action_space, gym.spaces.Box), "only continuous action space is supported"
    obs_dim = int(np.prod(env.observation_space.shape))
    act_dim = int(np.prod(env.action_space.shape))

    actor = Actor(obs_dim, env.action_space, args.hidden)
    qf1 = SoftQNetwork(obs_dim, act_dim, args.hidden)
    qf2 = SoftQNetwork(obs_dim, act_dim, args.hidden)
    qf1_target = SoftQNetwork(obs_dim, act_dim, args.hidden)
    qf2_target = SoftQNetwork(obs_dim, act_dim, args.hidden)
    qf1_target.load_state_dict(qf1.state_dict())
    qf2_target.load_state_dict(qf2.state_dict())
    q_optimizer = optim.Adam(list(qf1.parameters()) + list(qf2.parameters()), lr=args.q_lr)
    actor_optimizer = optim.Adam(list(actor.parameters()), lr=args.policy_lr)

    if args.autotune:
        target_entropy = -float(act_dim)
        log_alpha = torch.zeros(1, requires_grad=True)
        alpha = log_alpha.exp().item()
        a_optimizer = optim.Adam([log_alpha], lr=args.q_lr)
    else:
        alpha = args.alpha

    rb = ReplayBuffer(args.buffer_size, obs_dim, act_dim)
    start_time = time.time()
    returns = []
    obs, _ = env.reset(seed=args.seed)
    for global_step in range(args.total_timesteps):
        if global_step < args.learning_starts:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action, _ = actor.get_action(torch.as_tensor(obs, dtype=torch.float32).reshape(1, -1))
            action = action.numpy().reshape(env.action_space.shape)

        next_obs, reward, termination, truncation, info = env.step(action)
        rb.add(obs, next_obs, action, float(reward), termination)
        obs = next_obs
        if termination or truncation:
            returns.append(float(info["episode"]["r"]))
            if len(returns) % 5 == 0:
                print(f"{args.exp_name} step={global_step + 1} return={np.mean(returns[-5:]):.1f} alpha={alpha:.3f} "
                      f"SPS={int(global_step / (time.time() - start_time))}")
            obs, _ = env.reset()

        if global_step >= args.learning_starts:
            b_obs, b_next_obs, b_actions, b_rewards, b_terminations = rb.sample(args.batch_size)
            with torch.no_grad():
                next_actions, next_log_pi = actor.get_action(b_next_obs)
                min_q_next = torch.min(qf1_target(b_next_obs, next_actions), qf2_target(b_next_obs, next_actions))
                next_q_value = b_rewards + args.gamma * (1 - b_terminations) * (min_q_next - alpha * next_log_pi)

            qf_loss = F.mse_loss(qf1(b_obs, b_actions), next_q_value) + F.mse_loss(qf2(b_obs, b_actions), next_q_value)
            q_optimizer.zero_grad()
            qf_loss.backward()
            q_optimizer.step()

            pi, log_pi = actor.get_action(b_obs)
            min_qf_pi = torch.min(qf1(b_obs, b_actions), qf2(b_obs, b_actions))
            actor_loss = (alpha * log_pi - min_qf_pi).mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()

            if args.autotune:
                alpha_loss = -(log_alpha.exp() * (log_pi.detach() + target_entropy)).mean()
                a_optimizer.zero_grad()
                alpha_loss.backward()
                a_optimizer.step()
                alpha = log_alpha.exp().item()

            for q, q_target in ((qf1, qf1_target), (qf2, qf2_target)):
                for param, target_param in zip(q.parameters(), q_target.parameters()):
                    target_param.data.copy_(args.tau * param.data + (1 - args.tau) * target_param.data)

    print(f"last episodes: {np.mean(returns[-5:]) if returns else float('nan'):.1f}")
    env.close()
