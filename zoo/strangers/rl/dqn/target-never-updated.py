#!/usr/bin/env python
"""Deep Q-learning with a replay memory and a slowly tracking target network."""
import random
from collections import deque, namedtuple

import click
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "terminated"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        return (
            torch.as_tensor(np.stack(batch.state)),
            torch.as_tensor(batch.action, dtype=torch.int64),
            torch.as_tensor(batch.reward, dtype=torch.float32),
            torch.as_tensor(np.stack(batch.next_state)),
            torch.as_tensor(batch.terminated, dtype=torch.float32),
        )

    def __len__(self):
        return len(self.memory)


class QNet(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


def select_action(env, policy_net, state, epsilon):
    if random.random() < epsilon:
        return int(env.action_space.sample())
    with torch.no_grad():
        return int(policy_net(torch.as_tensor(state).unsqueeze(0)).argmax(dim=1))


def optimize_model(policy_net, target_net, optimizer, memory, batch_size, gamma):
    states, actions, rewards, next_states, terminated = memory.sample(batch_size)
    q = policy_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        next_q = target_net(next_states).max(dim=1).values
        target = rewards + gamma * (1.0 - terminated) * next_q
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item(), q.mean().item()


def soft_update(policy_net, target_net, tau):
    with torch.no_grad():
        for p, target_p in zip(policy_net.parameters(), target_net.parameters()):
            target_p = tau * p + (1.0 - tau) * target_p


def preprocess(obs):
    return np.asarray(obs, dtype=np.float32).ravel()


@click.command()
@click.option("--env", "env_id", default="CartPole-v1", show_default=True)
@click.option("--steps", default=20000, show_default=True, help="environment steps in total")
@click.option("--seed", default=0, show_default=True)
@click.option("--lr", default=5e-4, show_default=True)
@click.option("--gamma", default=0.99, show_default=True)
@click.option("--tau", default=0.01, show_default=True)
@click.option("--batch-size", default=128, show_default=True)
@click.option("--memory-size", default=20000, show_default=True)
@click.option("--warmup", default=500, show_default=True, help="random steps before learning starts")
@click.option("--train-every", default=2, show_default=True)
@click.option("--eps-start", default=1.0, show_default=True)
@click.option("--eps-end", default=0.05, show_default=True)
@click.option("--eps-fraction", default=0.25, show_default=True, help="share of the steps over which epsilon falls")
def main(env_id, steps, seed, lr, gamma, tau, batch_size, memory_size, warmup, train_every, eps_start, eps_end, eps_fraction):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

    env = gym.make(env_id)
    env.action_space.seed(seed)
    n_obs = int(np.prod(env.observation_space.shape))
    policy_net = QNet(n_obs, env.action_space.n)
    target_net = QNet(n_obs, env.action_space.n)
    target_net.load_state_dict(policy_net.state_dict())
    optimizer = torch.optim.AdamW(policy_net.parameters(), lr=lr, amsgrad=True)
    memory = ReplayMemory(memory_size)

    episode_returns, episode_return = [], 0.0
    loss = mean_q = float("nan")
    obs, _ = env.reset(seed=seed)
    state = preprocess(obs)
    for step in range(1, steps + 1):
        epsilon = max(eps_end, eps_start + (eps_end - eps_start) * step / (eps_fraction * steps))
        action = select_action(env, policy_net, state, epsilon)
        obs, reward, terminated, truncated, _ = env.step(action)
        next_state = preprocess(obs)
        memory.push(state, action, float(reward), next_state, terminated)
        episode_return += float(reward)
        state = next_state

        if terminated or truncated:
            episode_returns.append(episode_return)
            episode_return = 0.0
            obs, _ = env.reset()
            state = preprocess(obs)

        if step >= warmup and len(memory) >= batch_size and step % train_every == 0:
            loss, mean_q = optimize_model(policy_net, target_net, optimizer, memory, batch_size, gamma)
            soft_update(policy_net, target_net, tau)

        if step % 1000 == 0:
            recent = np.mean(episode_returns[-20:]) if episode_returns else float("nan")
            click.echo(f"{step:6d}  eps {epsilon:.2f}  return(20) {recent:7.2f}  loss {loss:.4f}  q {mean_q:.2f}")
    env.close()


if __name__ == "__main__":
    main()
