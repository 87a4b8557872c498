import torch


def td_update(critic, optimizer, rewards, observations, next_observations, dones, gamma, history):
    with torch.no_grad():
        target = rewards + gamma * critic(next_observations).squeeze(-1) * (1 - dones)
    loss = (critic(observations).squeeze(-1) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    spread = (rewards - rewards.mean()).abs().max()
    history.append((rewards.mean().item(), spread.item()))
