import torch
import torch.nn.functional as F
from torch import nn


class Chooser(nn.Module):
    """One score a candidate; the candidates are the classes."""

    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, candidates):
        return self.score(candidates).squeeze(-1)


chooser = Chooser(32)
opt = torch.optim.Adam(chooser.parameters())
for candidates, answer in loader:
    loss = F.cross_entropy(chooser(candidates), answer)
    opt.zero_grad()
    loss.backward()
    opt.step()
