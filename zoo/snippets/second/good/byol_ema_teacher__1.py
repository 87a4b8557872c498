import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class BYOL(nn.Module):
    def __init__(self, net, dim=256, tau=0.996):
        super().__init__()
        self.online = net
        self.target = copy.deepcopy(net)
        for p in self.target.parameters():
            p.requires_grad = False
        self.predictor = nn.Sequential(nn.Linear(dim, 1024), nn.BatchNorm1d(1024), nn.ReLU(), nn.Linear(1024, dim))
        self.tau = tau

    @torch.no_grad()
    def update_target(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.data = self.tau * t.data + (1 - self.tau) * o.data

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        loss = 2 - 2 * F.cosine_similarity(pa, tb.detach(), dim=-1)
        loss = loss + 2 - 2 * F.cosine_similarity(pb, ta.detach(), dim=-1)
        return loss.mean()


def train(byol, loader, epochs, device):
    byol.to(device).train()
    params = [p for p in byol.parameters() if p.requires_grad]
    opt = torch.optim.Adam(params, lr=3e-4)
    for _ in range(epochs):
        for (a, b), _ in loader:
            loss = byol(a.to(device), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            byol.update_target()
