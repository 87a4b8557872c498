import numpy as np
import torch
from torch import nn


class Standardiser:
    def fit(self, a):
        self.mean, self.std = a.mean(0), a.std(0)
        return self

    def __call__(self, a):
        return (a - self.mean) / (self.std + 1e-8)


class Table:
    def __init__(self, n, share, seed):
        rng = np.random.default_rng(seed)
        self.y = (rng.random(n) < share).astype(np.int64)
        amount = np.exp(rng.normal(3.0, 0.6, n) + 1.3 * self.y)
        hour = rng.normal(12 + 5 * self.y, 3, n)
        visits = rng.poisson(3 + 4 * self.y).astype(float)
        self.x = np.stack([np.log(amount), hour, visits], 1)

    def tensors(self, scaler):
        return torch.tensor(scaler(self.x), dtype=torch.float32), torch.tensor(self.y)


def train_model(x, y, epochs=8):
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2))
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for e in range(epochs):
        losses = []
        for i in torch.randperm(len(x)).split(50):
            loss = nn.functional.cross_entropy(net(x[i]), y[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {e} loss {np.mean(losses):.4f}")
    return net


history = Table(3000, 0.5, 1)
production = Table(800, 0.93, 2)
scaler = Standardiser().fit(history.x)
net = train_model(*history.tensors(scaler))
net.eval()
with torch.no_grad():
    x, y = production.tensors(Standardiser().fit(production.x))
    print(f"production accuracy {(net(x).argmax(1) == y).float().mean():.3f}")
