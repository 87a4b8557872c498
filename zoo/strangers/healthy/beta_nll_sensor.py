"""Sensor calibration with honest error bars.

Mean and variance heads, beta-NLL, dropout kept on at prediction time to sample the posterior.
Micro-batches are accumulated to one update (the box in the lab has very little memory).
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(31)

MICRO, ACCUM, EPOCHS, LR, BETA, DRAWS = 32, 4, 30, 4e-3, 0.5, 40


def lab_run(n, seed):
    g = torch.Generator().manual_seed(seed)
    temp = torch.rand(n, generator=g) * 4 - 2
    raw = torch.rand(n, generator=g) * 4 - 2
    humid = torch.randn(n, generator=g)
    truth = 0.6 * raw + 0.25 * torch.sin(2 * raw) + 0.1 * temp * raw
    sigma = 0.05 + 0.20 * torch.sigmoid(2 * temp)
    y = truth + sigma * torch.randn(n, generator=g)
    return torch.stack([raw, temp, humid], 1), y


class Calibrator(nn.Module):
    def __init__(self, hidden=64, p=0.01):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(3, hidden), nn.Linear(hidden, hidden)
        self.drop = nn.Dropout(p)
        self.out = nn.Linear(hidden, 2)

    def forward(self, x):
        h = self.drop(torch.tanh(self.fc1(x)))
        h = self.drop(torch.tanh(self.fc2(h)))
        mean, raw_var = self.out(h).unbind(1)
        return mean, F.softplus(raw_var) + 1e-5


def beta_nll(mean, var, y, beta=BETA):
    per_item = 0.5 * (var.log() + (y - mean).pow(2) / var)
    return (var.detach() ** beta * per_item).sum()


def bayes_predict(net, x, draws=DRAWS):
    """Monte-Carlo dropout: the network is left in train mode on purpose."""
    net.train()
    with torch.no_grad():
        sampled = [net(x) for _ in range(draws)]
    means = torch.stack([m for m, _ in sampled])
    noise = torch.stack([v for _, v in sampled]).mean(0)
    return means.mean(0), noise + means.var(0)


def gaussian_nll(mean, var, y):
    return (0.5 * (2 * math.pi * var).log() + (y - mean).pow(2) / (2 * var)).mean().item()


x_train, y_train = lab_run(3000, seed=1)
x_test, y_test = lab_run(1000, seed=2)

net = Calibrator()
optimizer = torch.optim.Adam(net.parameters(), lr=LR)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

for epoch in range(EPOCHS):
    net.train()
    epoch_nll = 0.0
    for big in torch.randperm(len(x_train)).split(MICRO * ACCUM):
        for micro in big.split(MICRO):
            mean, var = net(x_train[micro])
            (beta_nll(mean, var, y_train[micro]) / len(big)).backward()
            epoch_nll += gaussian_nll(mean.detach(), var.detach(), y_train[micro]) * len(micro)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    scheduler.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:2d}  train nll {epoch_nll / len(x_train):+.3f}")

mean, var = bayes_predict(net, x_test)
z = (y_test - mean) / var.sqrt()
rmse = (y_test - mean).pow(2).mean().sqrt().item()
print(f"test nll {gaussian_nll(mean, var, y_test):+.3f}")
print(f"test rmse {rmse:.4f}  (spread of the target {y_test.std():.3f})")
for level, width in ((0.68, 1.0), (0.95, 1.96)):
    print(f"coverage of the {level:.0%} interval: {(z.abs() < width).float().mean():.3f}")
cold = x_test[:, 1] < -1
print(f"mean predicted sigma: cold {var[cold].sqrt().mean():.3f}, warm {var[~cold].sqrt().mean():.3f}")
