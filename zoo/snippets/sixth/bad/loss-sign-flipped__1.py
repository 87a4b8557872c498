import gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical

policy = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 2), nn.Softmax(dim=-1))
optimizer = optim.Adam(policy.parameters(), lr=1e-2)
gamma = 0.99


def select_action(state):
    probs = policy(torch.from_numpy(state).float())
    m = Categorical(probs)
    action = m.sample()
    return action.item(), m.log_prob(action)


def finish_episode(log_probs, rewards):
    R = 0
    returns = []
    for r in rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)

    policy_loss = []
    for log_prob, R in zip(log_probs, returns):
        policy_loss.append(log_prob * R)

    optimizer.zero_grad()
    loss = torch.stack(policy_loss).sum()
    loss.backward()
    optimizer.step()
    return loss.item()
