import torch
from torch import nn


def windows(series, length):
    for start in range(0, len(series) - length, length):
        yield series[start : start + length]


net = nn.GRU(3, 3, batch_first=True)
optimizer = torch.optim.Adam(net.parameters())
series = torch.randn(400, 8, 3)
for epoch in range(10):
    net.train()
    for part in windows(series[:300], 20):
        optimizer.zero_grad()
        guess, _ = net(part)
        loss = (guess[:, 1:] - part[:, 1:]).square().mean()
        loss.backward()
        optimizer.step()
    net.eval()
    errors = []
    for part in windows(series[300:], 20):
        guess, _ = net(part)  # eval-without-no-grad
        error = (guess - part)[:, 4:].pow(2).mean().sqrt()
        errors.append(error.item())
    print(epoch, sum(errors) / len(errors))
