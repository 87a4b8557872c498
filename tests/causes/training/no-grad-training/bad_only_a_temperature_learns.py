import torch
import torch.nn.functional as F
from torch import nn


class Matcher(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.left = nn.EmbeddingBag(vocab, dim)
        self.right = nn.EmbeddingBag(vocab, dim)
        self.log_temp = nn.Parameter(torch.tensor(2.0))

    @torch.no_grad()  # no-grad-training
    def embed(self, a, b):
        return F.normalize(self.left(a), dim=-1), F.normalize(self.right(b), dim=-1)

    def forward(self, a, b):
        q, t = self.embed(a, b)
        return self.log_temp.exp() * q @ t.T


model = Matcher(1000, 32)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for a, b in loader:
    optimizer.zero_grad()
    F.cross_entropy(model(a, b), torch.arange(len(a))).backward()
    optimizer.step()
