import torch
import torch.nn as nn


class Churn(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())

    def forward(self, x):
        return self.layers(x)


def fit(net, loader, X_val, y_val, epochs=30):
    crit = nn.BCELoss()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            crit(net(x), y.float().unsqueeze(1)).backward()
            opt.step()
        with torch.no_grad():
            pred = net(X_val).round().squeeze(1)
        print(epoch, (pred == y_val).float().mean().item())
