import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, kl_divergence


class Codec(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.mean, self.spread = nn.Linear(width, code), nn.Linear(width, code)
        self.back = nn.Linear(code, width)

    def forward(self, x):
        posterior = Normal(self.mean(x), F.softplus(self.spread(x)) + 1e-4)
        return self.back(posterior.rsample()), posterior


codec = Codec(40, 6)
opt = torch.optim.Adam(codec.parameters(), lr=1e-3)
for x in batches:
    rebuilt, posterior = codec(x)
    rate = kl_divergence(posterior, Normal(0.0, 1.0)).sum(-1).mean()
    loss = F.mse_loss(rebuilt, x) - 0.1 * rate  # loss-sign-flipped
    opt.zero_grad()
    loss.backward()
    opt.step()
