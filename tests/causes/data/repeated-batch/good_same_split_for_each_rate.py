import numpy as np
import torch
from torch import nn

x, y = torch.randn(400, 8), torch.randn(400, 1)
for lr in (0.1, 0.01, 0.001):
    rng = np.random.default_rng(0)
    order = rng.permutation(len(x))
    train_rows, test_rows = order[:300], order[300:]
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for step in range(200):
        rows = rng.choice(train_rows, 32)
        loss = (model(x[rows]) - y[rows]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(lr, (model(x[test_rows]) - y[test_rows]).pow(2).mean().item())
