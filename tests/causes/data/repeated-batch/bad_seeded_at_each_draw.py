import torch
import torch.nn.functional as F
from torch import nn

SEED = 3


def draw_batch(x, y, n):
    gen = torch.Generator().manual_seed(SEED)  # repeated-batch
    rows = torch.randint(len(x), (n,), generator=gen)
    return x[rows], y[rows]


model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(500, 4), torch.randint(3, (500,))
for step in range(300):
    xb, yb = draw_batch(x, y, 32)
    loss = F.cross_entropy(model(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
