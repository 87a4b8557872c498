import torch


def rollout(env, net, optimizer, steps, hidden):
    obs, _ = env.reset()
    for _ in range(steps):
        logits, value, hidden = net(obs, hidden)
        action = torch.distributions.Categorical(logits=logits).sample()
        obs, reward, terminated, truncated, _ = env.step(action.item())
        loss = (value - reward) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hidden = hidden.detach()
        if terminated or truncated:
            obs, _ = env.reset()
            hidden = torch.zeros_like(hidden)
    return hidden
