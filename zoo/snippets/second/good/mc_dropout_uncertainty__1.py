import torch
import torch.nn as nn
import torch.nn.functional as F


class BayesianRegressor(nn.Module):
    """Gal & Ghahramani: dropout is kept at test time on purpose."""

    def __init__(self, d, p=0.1):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(d, 100), nn.Linear(100, 100), nn.Linear(100, 1)
        self.p = p

    def forward(self, x):
        x = F.dropout(F.relu(self.l1(x)), self.p, training=True)
        x = F.dropout(F.relu(self.l2(x)), self.p, training=True)
        return self.l3(x).squeeze(-1)


@torch.no_grad()
def predict(model, x, samples=100):
    model.eval()
    draws = torch.stack([model(x) for _ in range(samples)])
    return draws.mean(0), draws.std(0)


def train(model, loader, epochs=200):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-6)
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            opt.step()
