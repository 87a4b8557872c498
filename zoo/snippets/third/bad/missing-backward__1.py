import torch
from torch import nn, optim


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 16))
        self.dec = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 784))

    def forward(self, x):
        return self.dec(self.enc(x))


ae = Autoencoder()
mse = nn.MSELoss()
o = optim.RMSprop(ae.parameters(), lr=1e-3)
for e in range(15):
    tot = 0
    for x, _ in loader:
        x = x.flatten(1)
        o.zero_grad()
        rec = ae(x)
        loss = mse(rec, x)
        o.step()
        tot += loss.item()
    print("epoch", e, "mse", tot / len(loader))
