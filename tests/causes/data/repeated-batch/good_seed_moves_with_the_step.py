import torch
import torch.nn.functional as F


def train(model, optimizer, x, y, steps, seed):
    for step in range(steps):
        gen = torch.Generator().manual_seed(seed + step)
        rows = torch.randint(len(x), (32,), generator=gen)
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
