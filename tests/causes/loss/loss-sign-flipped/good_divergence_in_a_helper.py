import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(64, 16)
        self.mean, self.spread = nn.Linear(16, 4), nn.Linear(16, 4)
        self.decode = nn.Linear(4, 64)

    def forward(self, x):
        h = torch.relu(self.encode(x))
        mu, logvar = self.mean(h), self.spread(h)
        return self.decode(mu + torch.randn_like(mu) * (0.5 * logvar).exp()), mu, logvar


def evidence(x, logits, mu, logvar):
    likelihood = -F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
    divergence = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1)
    return (likelihood - divergence).mean()


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters())
for x in loader:
    loss = -evidence(x, *model(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
