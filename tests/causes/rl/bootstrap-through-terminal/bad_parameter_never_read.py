import torch


def discounted_returns(rewards, dones, gamma=0.99):
    """Returns of a batch of episodes that lie one behind the other."""
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + gamma * running  # bootstrap-through-terminal
        returns.insert(0, running)
    return torch.tensor(returns)


def update(policy, optimizer, batch):
    returns = discounted_returns(batch.rewards, batch.dones)
    loss = -(policy.log_prob(batch.states, batch.actions) * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
