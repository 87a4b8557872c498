import torch
import torch.nn.functional as F
from torch import nn


class Sentence(nn.Module):
    """Two dropout masks on one sentence are the only augmentation."""

    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Dropout(0.5))

    def forward(self, x):
        return self.body(x)


def step(encoder, x, optimizer):
    z1, z2 = encoder(x), encoder(x)
    scores = F.cosine_similarity(z1[:, None], z2[None], dim=-1) / 0.05
    loss = F.cross_entropy(scores, torch.arange(len(x)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


encoder = Sentence(64)
optimizer = torch.optim.Adam(encoder.parameters())
for batch in loader:
    step(encoder, batch, optimizer)
