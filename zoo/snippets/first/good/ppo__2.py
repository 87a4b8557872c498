import torch


@torch.no_grad()
def gae(agent, rewards, values, terminated, truncated, final_obs_values, last_value, gamma=0.99, lam=0.95):
    """Arrays are (T, n_envs). A cut by the time limit bootstraps from the value of the final observation."""
    T = rewards.shape[0]
    adv = torch.zeros_like(rewards)
    running = torch.zeros_like(last_value)
    next_value = last_value
    for t in range(T - 1, -1, -1):
        boot = torch.where(truncated[t].bool(), final_obs_values[t], next_value)
        boot = boot * (1.0 - terminated[t])
        over = torch.maximum(terminated[t], truncated[t])
        delta = rewards[t] + gamma * boot - values[t]
        running = delta + gamma * lam * (1.0 - over) * running
        adv[t] = running
        next_value = values[t]
    return adv, adv + values


def set_lr(optimizer, update, n_updates, lr0):
    optimizer.param_groups[0]["lr"] = lr0 * (1.0 - (update - 1.0) / n_updates)
