import torch
import torch.nn.functional as F
from torch import nn


class Bayesian(nn.Module):
    """Dropout stays on for uncertainty, said explicitly."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 64), nn.Linear(64, 1)

    def forward(self, x):
        return self.b(F.dropout(torch.relu(self.a(x)), 0.1, training=True))


@torch.no_grad()
def predict(model, x, samples=50):
    draws = torch.stack([model(x) for _ in range(samples)])
    return draws.mean(0), draws.std(0)


def corrupt(x):
    """Input noise of a denoising autoencoder; only the training loop calls it."""
    return F.dropout(x, 0.3)
