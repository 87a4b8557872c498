import torch
import torch.nn as nn


class RecurrentPolicy(nn.Module):
    def __init__(self, obs, act, h=128):
        super().__init__()
        self.gru = nn.GRUCell(obs, h)
        self.pi = nn.Linear(h, act)

    def forward(self, o, h):
        h = self.gru(o, h)
        return self.pi(h), h


@torch.no_grad()
def rollout(env, policy, length=500):
    obs, _ = env.reset()
    h = torch.zeros(1, 128)
    total = 0.0
    for _ in range(length):
        logits, _ = policy(torch.as_tensor(obs).float().unsqueeze(0), h)
        action = torch.distributions.Categorical(logits=logits).sample().item()
        obs, r, terminated, truncated, _ = env.step(action)
        total += r
        if terminated or truncated:
            break
    return total
