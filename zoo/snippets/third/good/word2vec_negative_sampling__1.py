import torch
import torch.nn as nn
import torch.nn.functional as F


class SGNS(nn.Module):
    def __init__(self, v, d=100):
        super().__init__()
        self.inp = nn.Embedding(v, d, sparse=True)
        self.out = nn.Embedding(v, d, sparse=True)
        self.inp.weight.data.uniform_(-0.5 / d, 0.5 / d)
        self.out.weight.data.zero_()

    def forward(self, c, pos, neg):
        e = self.inp(c)
        p = F.logsigmoid((e * self.out(pos)).sum(-1))
        n = F.logsigmoid(-torch.bmm(self.out(neg), e.unsqueeze(2)).squeeze(2)).sum(1)
        return -(p + n).mean()


def fit(model, pairs, epochs=5):
    opt = torch.optim.SparseAdam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for c, pos, neg in pairs:
            loss = model(c, pos, neg)
            opt.zero_grad()
            loss.backward()
            opt.step()
