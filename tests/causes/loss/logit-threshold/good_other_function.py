import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    """Scores while it trains, probabilities afterwards."""

    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        score = self.out(x)
        return score if self.training else score.sigmoid()


def step(model, opt, x, y):
    model.train()
    loss = F.binary_cross_entropy_with_logits(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()


@torch.inference_mode()
def predict(model, batches):
    model.eval()
    return torch.cat([model(x) > 0.5 for x in batches])


@torch.inference_mode()
def agree(calibrated, batches):
    calibrated.eval()
    return torch.cat([calibrated(x).round() for x in batches])
