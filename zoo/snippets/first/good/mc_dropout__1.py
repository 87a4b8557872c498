import torch
import torch.nn as nn


def enable_dropout(model):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()


@torch.no_grad()
def mc_predict(model, x, n=50):
    """Epistemic uncertainty from dropout left on (Gal & Ghahramani)."""
    enable_dropout(model)
    p = torch.stack([model(x).softmax(dim=-1) for _ in range(n)])
    model.eval()
    mean = p.mean(dim=0)
    entropy = -(mean * (mean + 1e-12).log()).sum(-1)
    return mean, entropy


class BayesianHead(nn.Module):
    """Dropout is part of the posterior here and stays on by design."""

    def __init__(self, d, k, p=0.1):
        super().__init__()
        self.fc, self.p = nn.Linear(d, k), p

    def forward(self, h):
        return self.fc(nn.functional.dropout(h, self.p, training=True))
