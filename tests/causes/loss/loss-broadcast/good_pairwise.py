import torch
from torch import nn

encoder = nn.Linear(10, 1)
points = torch.randn(64, 10)
score = encoder(points)
flat = score.squeeze(1)
pairwise = (flat.unsqueeze(1) - flat).abs()
table = (flat[:, None] - flat[None, :]) ** 2
kernel = torch.exp(-((points[:, None] - points[None]) ** 2).sum(-1))
loss = (kernel * table).mean() + pairwise.mean()
loss.backward()
