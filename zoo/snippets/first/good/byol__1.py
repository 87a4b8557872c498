import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class BYOL(nn.Module):
    def __init__(self, encoder, dim=256, tau=0.996):
        super().__init__()
        self.online = encoder
        self.predictor = nn.Sequential(nn.Linear(dim, 1024), nn.BatchNorm1d(1024), nn.ReLU(), nn.Linear(1024, dim))
        self.target = copy.deepcopy(encoder)
        for p in self.target.parameters():
            p.requires_grad = False
        self.tau = tau

    @torch.no_grad()
    def update_target(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.lerp_(o, 1 - self.tau)

    def forward(self, v1, v2):
        p1, p2 = self.predictor(self.online(v1)), self.predictor(self.online(v2))
        with torch.no_grad():
            z1, z2 = self.target(v1), self.target(v2)
        return 4 - 2 * (F.cosine_similarity(p1, z2, dim=-1) + F.cosine_similarity(p2, z1, dim=-1)).mean()


def train(model, loader, epochs):
    params = list(model.online.parameters()) + list(model.predictor.parameters())
    opt = torch.optim.AdamW(params, lr=3e-4)
    for _ in range(epochs):
        model.train()
        for (a, b), _ in loader:
            loss = model(a, b)
            opt.zero_grad()
            loss.backward()
            opt.step()
            model.update_target()
