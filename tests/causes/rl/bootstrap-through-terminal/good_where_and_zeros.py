import torch


def targets_by_where(net, rewards, next_states, dones, gamma):
    with torch.no_grad():
        bootstrapped = rewards + gamma * net(next_states).amax(dim=1)
        return torch.where(dones.bool(), rewards, bootstrapped)


def targets_by_filling(net, rewards, next_states, non_final_mask, gamma):
    next_values = torch.zeros(len(rewards))
    with torch.no_grad():
        next_values[non_final_mask] = net(next_states).max(1).values
    return rewards + gamma * next_values


def targets_by_overwriting(net, rewards, next_states, done, gamma):
    with torch.no_grad():
        next_values = net(next_states).max(1)[0]
        next_values[done] = 0.0
    return rewards + gamma * next_values


def target_of_one(net, reward, next_state, done, gamma=0.99):
    if done:
        return reward
    return reward + gamma * net(next_state).max().item()
