import torch


def reinforce_loss(log_probs, rewards, gamma=0.99):
    rewards = torch.tensor(rewards)
    rewards = rewards - rewards.mean()
    returns, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        returns.insert(0, g)
    returns = torch.stack(returns)
    return -(torch.stack(log_probs) * returns).sum()
