import torch
import torch.nn as nn
import torch.nn.functional as F


class UncertaintyWeights(nn.Module):
    """Kendall et al.: learnt log-variances balance the tasks."""

    def __init__(self, n):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(n))

    def forward(self, losses):
        return sum(torch.exp(-self.s[i]) * l + self.s[i] for i, l in enumerate(losses))


def train_epoch(model, weigh, loader, opt):
    model.train()
    meters = torch.zeros(3)
    n = 0
    for img, depth, seg, normal in loader:
        d, s, nv = model(img)
        losses = [F.l1_loss(d, depth), F.cross_entropy(s, seg), 1 - F.cosine_similarity(nv, normal, dim=1).mean()]
        total = weigh(losses)
        opt.zero_grad()
        total.backward()
        opt.step()
        meters += torch.stack([l.detach() for l in losses]) * len(img)
        n += len(img)
    return (meters / n).tolist()


def make_opt(model, weigh):
    return torch.optim.AdamW([{"params": model.parameters()}, {"params": weigh.parameters(), "weight_decay": 0.0}], lr=1e-4)
