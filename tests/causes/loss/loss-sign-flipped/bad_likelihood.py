import torch
from torch import nn
from torch.distributions import Normal


class Gaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(4, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return Normal(self.mean(x).squeeze(-1), self.log_std.exp())


class Fitter:
    def __init__(self, lr=1e-2):
        self.model = Gaussian()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)

    def step(self, x, y):
        dist = self.model(x)
        log_likelihood = dist.log_prob(y).mean()  # loss-sign-flipped
        self.opt.zero_grad()
        log_likelihood.backward()
        self.opt.step()


fitter = Fitter()
for x, y in batches:
    fitter.step(x, y)
