import torch
from torch import nn


def even_start(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 1 / m.in_features)
        nn.init.zeros_(m.bias)


class Decomposed(nn.Module):
    """A forecast as the sum of two averages of the past, which training refines."""

    def __init__(self, past, ahead):
        super().__init__()
        self.trend = nn.Linear(past, ahead)
        self.season = nn.Linear(past, ahead)
        self.smooth = nn.AvgPool1d(5, stride=1, padding=2)

    def forward(self, x):
        slow = self.smooth(x)
        return self.trend(slow) + self.season(x - slow)


model = Decomposed(48, 12)
model.apply(even_start)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
