import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, o, a, h=64):
        super().__init__()
        self.cell, self.pi = nn.GRUCell(o, h), nn.Linear(h, a)

    def forward(self, x, h):
        h = self.cell(x, h)
        return self.pi(h), h


@torch.no_grad()
def play(env, policy):
    obs, _ = env.reset()
    h, total, done = torch.zeros(1, 64), 0.0, False
    while not done:
        logits, h = policy(torch.as_tensor(obs).float()[None], h)
        obs, r, term, trunc, _ = env.step(logits.argmax().item())
        total += r
        done = term or trunc
    return total
