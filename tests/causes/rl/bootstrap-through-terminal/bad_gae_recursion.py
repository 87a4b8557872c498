import torch


def gae(rewards, values, dones, last_value, gamma=0.99, lam=0.95):
    advantages = torch.zeros_like(rewards)
    running = 0.0
    for t in reversed(range(len(rewards))):
        following = last_value if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + gamma * following * (1.0 - dones[t]) - values[t]
        running = delta + gamma * lam * running  # bootstrap-through-terminal
        advantages[t] = running
    return advantages, advantages + values
