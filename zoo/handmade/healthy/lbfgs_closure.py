"""Full-batch L-BFGS fit of a small tanh network to a smooth five-variable function."""

import torch
from torch import nn, optim

torch.manual_seed(3)


def target_function(x):
    return (
        torch.sin(torch.pi * x[:, 0] * x[:, 1])
        + 2.0 * (x[:, 2] - 0.5) ** 2
        + x[:, 3]
        + 0.5 * x[:, 4]
    )


features = torch.rand(1600, 5)
values = target_function(features) + 0.05 * torch.randn(1600)
train_x, test_x = features[:1200], features[1200:]
train_y, test_y = values[:1200], values[1200:]

x_mean, x_std = train_x.mean(0), train_x.std(0)
y_mean, y_std = train_y.mean(), train_y.std()
train_x, test_x = (train_x - x_mean) / x_std, (test_x - x_mean) / x_std
train_y, test_y = (train_y - y_mean) / y_std, (test_y - y_mean) / y_std

net = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
mse = nn.MSELoss()
optimizer = optim.LBFGS(
    net.parameters(), lr=1.0, max_iter=4, history_size=20, line_search_fn="strong_wolfe"
)


def closure():
    optimizer.zero_grad()
    loss = mse(net(train_x).squeeze(1), train_y)
    loss.backward()
    return loss


for i in range(60):
    loss = optimizer.step(closure)
    if i % 5 == 0 or i == 59:
        with torch.no_grad():
            test_loss = mse(net(test_x).squeeze(1), test_y)
        print(f"step {i:2d}  train mse {loss.item():.5f}  held-out mse {test_loss.item():.5f}")

with torch.no_grad():
    residual = test_y - net(test_x).squeeze(1)
    r2 = 1.0 - residual.pow(2).sum() / (test_y - test_y.mean()).pow(2).sum()
print(f"held-out R2 {r2.item():.4f}")
