import torch


def critic_step(critic, optimizer, batch, discount):
    s, r, s2, not_done = batch
    delta = r + discount * not_done * critic(s2) - critic(s)  # missing-detach
    loss = delta.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
