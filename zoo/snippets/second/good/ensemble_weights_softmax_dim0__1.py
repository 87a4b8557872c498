import torch
import torch.nn as nn


class Blend(nn.Module):
    """Learned convex combination of frozen base models."""

    def __init__(self, models):
        super().__init__()
        self.models = nn.ModuleList(models)
        for p in self.models.parameters():
            p.requires_grad_(False)
        self.w = nn.Parameter(torch.zeros(len(models)))

    def forward(self, x):
        self.models.eval()
        with torch.no_grad():
            outs = torch.stack([m(x) for m in self.models])
        w = torch.softmax(self.w, dim=0)
        return torch.einsum("m,mbk->bk", w, outs)


def fit_blend(blend, holdout_loader, steps=3):
    opt = torch.optim.Adam([blend.w], lr=0.05)
    for _ in range(steps):
        for x, y in holdout_loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(blend(x), y)
            loss.backward()
            opt.step()
    return torch.softmax(blend.w.detach(), dim=0)
