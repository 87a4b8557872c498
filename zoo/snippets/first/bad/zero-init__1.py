import torch
import torch.nn as nn


class DeepFM(nn.Module):
    def __init__(self, n_feat, k=16, hidden=(128, 64)):
        super().__init__()
        self.emb = nn.Embedding(n_feat, k)
        self.lin = nn.Embedding(n_feat, 1)
        dims = [39 * k, *hidden]
        self.fcs = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.out = nn.Linear(dims[-1], 1)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Linear):
            nn.init.zeros_(m.weight)
            nn.init.zeros_(m.bias)
        elif isinstance(m, nn.Embedding):
            nn.init.normal_(m.weight, std=0.01)

    def forward(self, idx):
        e = self.emb(idx)
        fm = 0.5 * (e.sum(1).pow(2) - e.pow(2).sum(1)).sum(1, keepdim=True)
        h = e.flatten(1)
        for fc in self.fcs:
            h = torch.relu(fc(h))
        return (self.lin(idx).sum(1) + fm + self.out(h)).squeeze(1)
