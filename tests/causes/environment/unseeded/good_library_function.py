import torch
from torch import nn


def fit(x, y, epochs=10):
    model = nn.Linear(x.shape[1], 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
