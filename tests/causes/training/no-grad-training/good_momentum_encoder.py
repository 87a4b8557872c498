import torch
import torch.nn.functional as F
from torch import nn


class MoCo(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.encoder_q = nn.Linear(128, dim)
        self.encoder_k = nn.Linear(128, dim)
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.data.copy_(pq.data)
            pk.requires_grad = False

    def forward(self, a, b):
        q = F.normalize(self.encoder_q(a), dim=1)
        with torch.no_grad():
            k = F.normalize(self.encoder_k(b), dim=1)
        return q @ k.T / 0.07


moco = MoCo()
opt = torch.optim.SGD(moco.parameters(), lr=0.03)
for a, b in pairs:
    logits = moco(a, b)
    loss = F.cross_entropy(logits, torch.arange(len(a)))
    opt.zero_grad()
    loss.backward()
    opt.step()
