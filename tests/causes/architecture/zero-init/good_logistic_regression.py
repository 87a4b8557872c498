import torch
import torch.nn.functional as F


def fit(X, y, epochs=200):
    w = torch.zeros(X.shape[1], 3, requires_grad=True)
    b = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.5)
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = F.cross_entropy(X @ w + b, y)
        loss.backward()
        optimizer.step()
    return w.detach(), b.detach()
