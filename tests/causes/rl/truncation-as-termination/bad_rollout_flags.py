import gymnasium as gym
import numpy as np
import torch

from model import Agent

envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(4)])
agent = Agent(envs)
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
rewards, dones, values = torch.zeros(128, 4), torch.zeros(128, 4), torch.zeros(128, 4)
next_obs, _ = envs.reset(seed=1)
next_done = torch.zeros(4)
for update in range(100):
    for step in range(128):
        dones[step] = next_done  # truncation-as-termination
        with torch.no_grad():
            action, logprob, _, value = agent.get_action_and_value(next_obs)
            values[step] = value.flatten()
        next_obs, reward, terminations, truncations, infos = envs.step(action.numpy())
        next_done = torch.Tensor(np.logical_or(terminations, truncations))
        rewards[step] = torch.tensor(reward).view(-1)
    with torch.no_grad():
        advantages, last = torch.zeros_like(rewards), 0
        for t in reversed(range(127)):
            nonterminal = 1.0 - dones[t + 1]
            delta = rewards[t] + 0.99 * values[t + 1] * nonterminal - values[t]
            advantages[t] = last = delta + 0.99 * 0.95 * nonterminal * last
    loss = agent.loss(advantages, values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
