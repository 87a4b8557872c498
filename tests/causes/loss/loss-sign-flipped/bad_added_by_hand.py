import torch
import torch.nn.functional as F
from torch import nn


def fit(net, batches, lr):
    for x, y in batches:
        loss = F.cross_entropy(net(x), y)
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p += lr * p.grad  # loss-sign-flipped


if __name__ == "__main__":
    torch.manual_seed(0)
    data = [(torch.randn(16, 4), torch.randint(2, (16,))) for _ in range(20)]
    fit(nn.Linear(4, 2), data, 0.1)
