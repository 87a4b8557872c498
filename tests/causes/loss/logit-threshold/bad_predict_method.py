import torch
from torch import nn
import torch.nn.functional as F


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(width, 32), nn.ReLU())
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.stem(x))

    @torch.no_grad()
    def decide(self, x):
        self.eval()
        return self(x) > 0.5  # logit-threshold


def train_step(model, opt, x, y):
    model.train()
    loss = F.binary_cross_entropy_with_logits(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
