import torch
import torch.nn as nn
import torch.nn.functional as F


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32))
        self.predictor = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 32))

    def forward(self, a, b):
        z1, z2 = self.encoder(a), self.encoder(b)
        return self.predictor(z1), self.predictor(z2), z1, z2


def agreement(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=-1).mean()


net = SimSiam()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for a, b in views:
    p1, p2, z1, z2 = net(a, b)
    loss = agreement(p1, z2) / 2 + agreement(p2, z1) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
