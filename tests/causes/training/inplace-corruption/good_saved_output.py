import torch
import torch.nn as nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ask = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x, mask):
        gate = torch.sigmoid(self.ask(x))
        gate = gate * mask
        scores = self.key(x)
        scores += mask
        scores *= 0.5
        weights = torch.exp(-mask)
        weights /= weights.sum(-1, keepdim=True)
        out = self.norm(gate + scores)
        out += x
        return out * weights

    @torch.no_grad()
    def chances(self, x, allowed):
        chance = self.key(x).sigmoid()
        chance *= allowed
        return chance
